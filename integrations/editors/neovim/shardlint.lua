-- shardlint for Neovim 0.7 and newer, with or without nvim-lspconfig. Put it into lua/ and call require('shardlint').setup().
local M = {}

local filetypes = { 'yaml', 'toml', 'json', 'jsonc', 'sh', 'bash', 'cpp', 'cuda' }
local markers = { 'shardlint.toml', '.git' }

-- The nearest folder above a file that holds one of the markers; else the file's own.
local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ':p:h')
  for _, marker in ipairs(markers) do
    local at = folder
    while at ~= '' do
      if vim.fn.getftype(at .. '/' .. marker) ~= '' then return at end
      local above = vim.fn.fnamemodify(at, ':h')
      if above == at then break end
      at = above
    end
  end
  return folder
end

-- Neovim says that it shows the places that a finding rests on, but did not before 0.12: they come as text instead.
local function capabilities_of(options)
  local out = options.capabilities or vim.lsp.protocol.make_client_capabilities()
  if vim.fn.has('nvim-0.12') == 0 then
    out = vim.tbl_deep_extend('force', out, { textDocument = { publishDiagnostics = { relatedInformation = false } } })
  end
  return vim.tbl_deep_extend('force', out, { window = { showDocument = { support = true } } })
end

-- The page of a rule, and the plan: older versions open nothing by themselves.
local handlers = {}
if not vim.lsp.handlers['window/showDocument'] then
  handlers['window/showDocument'] = function(_, shown)
    vim.cmd('split ' .. vim.fn.fnameescape(vim.uri_to_fname(shown.uri)))
    return { success = true }
  end
end

-- The plan as virtual text: what newer versions show by themselves once they are told to.
local function show_plan(buffer)
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
  else
    local function refresh()
      if vim.api.nvim_get_current_buf() == buffer then vim.lsp.codelens.refresh() end
    end
    vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorHold', 'InsertLeave', 'TextChanged' }, {
      group = vim.api.nvim_create_augroup('shardlint' .. buffer, { clear = true }), buffer = buffer, callback = refresh,
    })
    refresh()
  end
  if type(vim.lsp.inlay_hint) == 'table' then vim.lsp.inlay_hint.enable(true, { bufnr = buffer }) end
end

-- options.cmd: the program; options.settings: debounce, advice, scope, cluster; options.plan: false hides the plan;
-- options.on_attach, options.capabilities: as for any server.
function M.setup(options)
  options = options or {}
  vim.api.nvim_create_autocmd('FileType', {
    pattern = options.filetypes or filetypes,
    callback = function(event)
      if vim.api.nvim_buf_get_option(event.buf, 'buftype') ~= '' then return end
      M.attach(event.buf, options)
    end,
  })
end

local clients = {}  -- by root

function M.attach(buffer, options)
  options = options or {}
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  local config = {
    name = 'shardlint',
    cmd = options.cmd or { 'shardlint', 'lsp' },
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    init_options = options.settings,
    settings = { shardlint = options.settings },
    on_attach = function(client, attached)
      -- Neovim 0.7 leaves them empty: completion at CTRL-X CTRL-O, definitions at CTRL-].
      for name, use in pairs({ omnifunc = 'v:lua.vim.lsp.omnifunc', tagfunc = 'v:lua.vim.lsp.tagfunc' }) do
        if vim.api.nvim_buf_get_option(attached, name) == '' then vim.api.nvim_buf_set_option(attached, name, use) end
      end
      if options.plan ~= false then show_plan(attached) end
      if options.on_attach then options.on_attach(client, attached) end
    end,
    capabilities = capabilities_of(options),
    handlers = handlers,
  }
  if vim.lsp.start then
    return vim.lsp.start(config, { bufnr = buffer })
  end
  local id = clients[root]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client(config)
    clients[root] = id
  end
  if id then vim.lsp.buf_attach_client(buffer, id) end
  return id
end

return M
