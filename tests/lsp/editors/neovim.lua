-- Headless Neovim opens a config, sees the finding, applies the preferred fix and saves: nvim --headless --clean -S neovim.lua
-- SHARDLINT is the program, FOLDER holds run.toml, PLUGIN is integrations/editors/neovim.
package.path = os.getenv('PLUGIN') .. '/?.lua;' .. package.path
local folder = os.getenv('FOLDER')

local function fail(what)
  io.stderr:write('neovim: ' .. what .. '\n')
  vim.cmd('cquit')
end
local function wait(what, test)
  if not vim.wait(10000, test, 20) then fail('waited in vain for ' .. what) end
end

local ok, fault = pcall(function()
  vim.cmd('filetype on')
  require('shardlint').setup({ cmd = { os.getenv('SHARDLINT'), 'lsp' }, filetypes = { 'toml' }, settings = { debounce = 0 } })
  vim.cmd('edit ' .. folder .. '/run.toml')
  vim.bo.filetype = 'toml'
  local function found()
    for _, entry in ipairs(vim.diagnostic.get(0)) do
      if entry.message:find('2,500 sequences cannot be shared by 80 replicas', 1, true) then return entry end
    end
  end
  wait('the finding', found)
  local entry = found()
  local line = vim.api.nvim_buf_get_lines(0, entry.lnum, entry.lnum + 1, false)[1]
  if line:sub(entry.col + 1, entry.end_col) ~= '2500' then fail('the finding stands at "' .. line:sub(entry.col + 1, entry.end_col) .. '"') end
  if not entry.message:find('\n= ', 1, true) then fail('the finding has no reasons: ' .. entry.message) end
  wait('the plan', function()
    local lens = vim.lsp.codelens.get(0)[1]
    return lens and lens.command.title:find('5,120 GPUs = TP 8', 1, true)
  end)
  if vim.bo.omnifunc ~= 'v:lua.vim.lsp.omnifunc' then fail('nothing completes') end

  local params = vim.lsp.util.make_range_params()
  params.range = { start = { line = entry.lnum, character = 0 }, ['end'] = { line = entry.lnum, character = 0 } }
  params.context = { diagnostics = {} }
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 10000)
  local fix
  for id, answer in pairs(answers) do
    for _, action in ipairs(answer.result or {}) do
      if action.isPreferred then fix = { action = action, client = vim.lsp.get_client_by_id(id) } end
    end
  end
  if not fix then fail('no preferred fix: ' .. vim.inspect(answers):sub(1, 1500)) end
  vim.lsp.util.apply_workspace_edit(fix.action.edit, fix.client.offset_encoding)
  wait('the finding to go', function() return not found() end)

  local hover = vim.lsp.buf_request_sync(0, 'textDocument/hover', vim.tbl_extend('force', vim.lsp.util.make_position_params(), {
    position = { line = 8, character = 3 } }), 10000)
  local text = ''
  for _, answer in pairs(hover) do text = answer.result.contents.value end
  if not text:find('tensor-parallel ranks', 1, true) then fail('hover says "' .. text .. '"') end
  vim.cmd('write')
end)
if not ok then fail(tostring(fault)) end
vim.cmd('qall!')
