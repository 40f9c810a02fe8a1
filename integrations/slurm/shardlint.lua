-- What both filters share: the site's settings, and one run of shardlint under a time limit. Lua 5.1, as Slurm links it.
local shardlint = {}

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."

local function exists(path)
  local file = io.open(path, "r")
  if file then file:close() end
  return file ~= nil
end

-- A file beside the filters, else the usual place, else nil. Looked for each time: the controller outlives its settings.
local function site_file()
  for _, path in ipairs({ here .. "/shardlint-site.toml", "/etc/shardlint/site.toml" }) do
    if exists(path) then return path end
  end
end

-- Of site.toml the table [gate] alone, whose settings stand one a line. shardlint itself reads the whole and says what is wrong in it.
function shardlint.settings()
  local out = { ["program"] = "shardlint", ["time-limit"] = "2", ["when-missing"] = "accept", ["when-failing"] = "accept" }
  local path = site_file()
  local file = path and io.open(path, "r")
  if not file then return out end
  local inside = false
  for line in file:lines() do
    local head = line:match("^%s*%[+%s*([^%]]-)%s*%]")
    if head then
      inside = head == "gate"
    elseif inside then
      local key, value = line:match("^%s*([%w_-]+)%s*=%s*(.*)$")
      if key then
        local text = value:match('^"([^"]*)"') or value:match("^'([^']*)'") or value:match("^([%w.]+)")
        if text then out[key] = text end
      end
    end
  end
  file:close()
  if not tonumber(out["time-limit"]) then out["time-limit"] = "2" end
  return out
end

local function quoted(word)
  local inner = tostring(word):gsub("'", "'\\''")
  return "'" .. inner .. "'"
end

-- The variables that a script's text asks for and `value_of` knows, as words of shardlint's command line. What Slurm sets for the job is
-- not what it was set to around the submission. No value may make the command line too long to run: long ones, and those beyond a sum, are
-- left to the script's defaults.
function shardlint.environment(script, value_of)
  local words, seen, room = {}, {}, 16384
  local function take(name)
    if seen[name] or name:find("^SLURM") then return end
    seen[name] = true
    local value = value_of(name)
    if value and #value <= 4096 and #value + #name <= room then
      room = room - #value - #name
      words[#words + 1] = "--set"
      words[#words + 1] = "env." .. name .. "=" .. value
    end
  end
  take("SHARDLINT_BYPASS")
  for name in script:gmatch("%$%{?([%a_][%w_]*)") do take(name) end
  return words
end

-- Runs `shardlint check` with these words; `input` is a file for its standard input. Returns "accept" or "refuse", what the user is to read
-- (empty if nothing), and what the log is to say of it (nil if nothing).
function shardlint.check(words, input)
  local settings = shardlint.settings()
  local line = { "timeout", "-s", "KILL", quoted(settings["time-limit"]), quoted(settings["program"]), "check", "--quiet", "--color", "never" }
  local site = site_file()
  if site then
    line[#line + 1] = "--site"
    line[#line + 1] = quoted(site)
  end
  for _, word in ipairs(words) do line[#line + 1] = quoted(word) end
  line[#line + 1] = "<" .. quoted(input or "/dev/null")
  line[#line + 1] = '2>&1; echo "rc=$?"'
  local pipe = io.popen(table.concat(line, " "), "r")
  local said = pipe and pipe:read("*a") or ""
  if pipe then pipe:close() end
  local code = tonumber(said:match("rc=(%d+)%s*$")) or 127
  said = said:gsub("rc=%d+%s*$", ""):gsub("%s+$", "")

  if code == 1 then return "refuse", said, nil end
  if code == 0 then return "accept", said, said:match("shardlint: (bypassed: [^\n]*)") end
  local when, why
  if code == 126 or code == 127 then
    when, why = settings["when-missing"], settings["program"] .. " cannot be started"
  elseif code == 137 or code == 124 then
    when, why = settings["when-failing"], "no answer within " .. settings["time-limit"] .. " s"
  else
    when, why = settings["when-failing"], "the check failed with status " .. code .. ": " .. (said:match("^[^\n]*") or "")
  end
  if when == "refuse" then return "refuse", "shardlint: " .. why .. "; this site accepts no job unchecked", why end
  return "accept", "", why .. "; the job is accepted unchecked"
end

return shardlint
