-- JobSubmitPlugins=lua: inside slurmctld, for every job however it was submitted (--wrap, standard input, the REST interface). It runs with
-- the controller's rights, so shardlint gets the script on its standard input and reads no other file of any user.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local shardlint = dofile(here .. "/shardlint.lua")

local counted = {
  { "min_nodes", "nodes" }, { "num_tasks", "ntasks" }, { "ntasks_per_node", "ntasks-per-node" },
  { "tres_per_node", "gres" }, { "tres_per_job", "gpus" }, { "tres_per_task", "gpus-per-task" },
  { "features", "constraint" }, { "partition", "partition" }, { "comment", "comment" }, { "name", "job-name" },
}

-- A member of the job, unless it has one of Slurm's numbers for "not given".
local function member(job, name)
  local ok, value = pcall(function() return job[name] end)
  if not ok or value == nil or value == "" then return nil end
  if type(value) == "number" and (value >= 4294967280 or value == 65534 or value == 65535) then return nil end
  if type(value) == "number" then return string.format("%d", value) end
  value = tostring(value):gsub("gres:", ""):gsub("gres/", "")
  if name == "tres_per_job" or name == "tres_per_task" then value = value:match("gpu[:=]([^,]*)") end
  return value and value:sub(1, 1024)
end

function slurm_job_submit(job, partitions, uid)
  local script = job.script
  if not script or script == "" then return slurm.SUCCESS end  -- salloc and srun bring none

  local words = shardlint.environment(script, function(name)
    local ok, value = pcall(function() return job.environment[name] end)
    return ok and value or nil
  end)
  for _, pair in ipairs(counted) do
    local value = member(job, pair[1])
    if value then
      words[#words + 1] = "--sbatch"
      words[#words + 1] = pair[2] .. "=" .. value
    end
  end
  for _, word in ipairs({ "--isolated", "--no-follow", "--submitter", "uid " .. uid, "--stdin-filename", "job.sbatch", "-" }) do
    words[#words + 1] = word
  end

  local name = os.tmpname()  -- made for this process alone
  local file = io.open(name, "w")
  if not file then
    slurm.log_error("shardlint: no temporary file can be written; the job of uid %d is treated as when-failing says", uid)
    return shardlint.settings()["when-failing"] == "refuse" and slurm.ERROR or slurm.SUCCESS
  end
  file:write(script)
  file:close()
  local verdict, said, log = shardlint.check(words, name)
  os.remove(name)

  if log then slurm.log_info("shardlint: uid %d, job %s: %s", uid, tostring(job.name), log) end
  -- Of a job that is accepted the filter at login has told its user already.
  if verdict == "accept" then return slurm.SUCCESS end
  slurm.log_user("%s", said)
  slurm.log_user("shardlint: this job is refused. If it must run as it is: SHARDLINT_BYPASS='why' sbatch ...")
  return slurm.ERROR
end

function slurm_job_modify(job, recorded, partitions, uid)
  return slurm.SUCCESS
end
