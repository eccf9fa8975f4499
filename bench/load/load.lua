-- What wrk asks and counts. Its words are the plan, a Lua file, and how many requests there were before.
local line = '{"requests":%d,"seconds":%.6f,"p99":%.3f,"answered":{"200":%d,"503":%d,"%s":%d},'
  .. '"errors":{"connect":%d,"read":%d,"write":%d,"timeout":%d}}\n'
local thread, plan, number, keys
-- Of the thread's own state, which only globals are read from: what was answered, and the last other status.
good, unavailable, others, other = 0, 0, 0, 'other'

function setup(only)
  thread = only
end

function init(args)
  plan, number = dofile(args[1]), 1000000000 + tonumber(args[2])
  if plan.keyFile then
    keys = io.open(plan.keyFile)
    keys:seek('set', tonumber(args[2]) * #plan.keys[1])
  end
end

function request()
  number = number + 1
  local campaign = 1 + number * plan.stride % plan.campaigns
  local key = keys and assert(keys:read(#plan.keys[1]), 'too few keys') or plan.keys[campaign % #plan.keys + 1]
  return plan.head .. campaign .. plan.middle .. key .. plan.rest .. number .. plan.ending
end

function response(status)
  if status == 200 then
    good = good + 1
  elseif status == 503 then
    unavailable = unavailable + 1
  else
    others, other = others + 1, tostring(status)
  end
end

function done(summary, latency)
  local p99, errors, seen = latency:percentile(99) / 1000, summary.errors, {}
  for at, name in ipairs({ 'good', 'unavailable', 'other', 'others' }) do
    seen[at] = thread:get(name)
  end
  io.write(string.format(line, summary.requests, summary.duration / 1e6, p99, seen[1], seen[2], seen[3], seen[4],
    errors.connect, errors.read, errors.write, errors.timeout))
end
