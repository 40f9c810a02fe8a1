-- CliFilterPlugins=cli_filter/lua: in sbatch itself, as the user, before the job is sent. The script's own place is known here, so what it
-- names (configurations, other scripts) is read and checked with it.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local shardlint = dofile(here .. "/shardlint.lua")

-- Options whose values change what a script's directives say; what was not given is left to them.
local counted = { "nodes", "ntasks", "ntasks-per-node", "gres", "gpus", "gpus-per-node", "gpus-per-task", "constraint", "partition", "comment" }

local function option(options, name)
  local ok, value = pcall(function() return options[name] end)
  if not ok or value == nil then return nil end
  value = tostring(value)
  -- What sbatch itself fills in for an option that nobody gave.
  if value == "" or value == "unset" or value:find("^%(null%)$") or tonumber(value) and tonumber(value) >= 65533 then return nil end
  if name == "ntasks" and value == "1" then return nil end
  local low, high = value:match("^(%d+)%-(%d+)$")
  if low and low == high then value = low end
  return value:sub(1, 1024)
end

function slurm_cli_setup_defaults(options, early_pass)
  return slurm.SUCCESS
end

function slurm_cli_pre_submit(options, pack_offset)
  if option(options, "type") ~= "sbatch" then return slurm.SUCCESS end
  local ok, script = pcall(function() return options["argv"][1] end)
  if not ok or not script then return slurm.SUCCESS end  -- --wrap or standard input: for the controller's filter
  local file = io.open(script, "r")
  if not file then return slurm.SUCCESS end  -- sbatch says it better
  local text = file:read("*a") or ""
  file:close()

  local words = shardlint.environment(text, os.getenv)
  for _, name in ipairs(counted) do
    local value = option(options, name)
    if value then
      words[#words + 1] = "--sbatch"
      words[#words + 1] = name .. "=" .. value
    end
  end
  words[#words + 1] = script

  local verdict, said, log = shardlint.check(words)
  if said ~= "" then io.stderr:write(said, "\n") end
  if log and not said:find(log, 1, true) then io.stderr:write("shardlint: ", log, "\n") end
  if verdict == "accept" then return slurm.SUCCESS end
  io.stderr:write("shardlint: this job is refused. If it must run as it is: SHARDLINT_BYPASS='why' sbatch ...\n")
  return slurm.ERROR
end

function slurm_cli_post_submit(offset, jobid, stepid)
  return slurm.SUCCESS
end
