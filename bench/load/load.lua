-- The requests of wrk, and the counts of their answers. Arguments: the plan, a Lua file; the number of requests before.
local line = '{"requests":%d,"seconds":%.6f,"p99":%.3f,"answered":{%s},'
  .. '"errors":{"connect":%d,"read":%d,"write":%d,"timeout":%d}}\n'
local thread, plan, number, keys
-- Counts by status. A global, since the main thread can read nothing else of a thread.
answered = {}

function setup(only)
  thread = only
end

function init(args)
  plan, number = dofile(args[1]), 1000000000 + tonumber(args[2])
  if plan.keyFile then
    keys = io.open(plan.keyFile)
    keys:seek('set', tonumber(args[2]) * #plan.keys[1])
  end
  if plan.pause then
    delay = function() return plan.pause end
  end
end

function request()
  number = number + 1
  local campaign = 1 + number * plan.stride % plan.campaigns
  local key = keys and assert(keys:read(#plan.keys[1]), 'too few keys') or plan.keys[campaign % #plan.keys + 1]
  return plan.head .. campaign .. plan.middle .. key .. plan.rest .. number .. plan.ending
end

function response(status)
  answered[status] = (answered[status] or 0) + 1
end

function done(summary, latency)
  local p99, errors, statuses = latency:percentile(99) / 1000, summary.errors, {}
  for status, count in pairs(thread:get('answered')) do
    statuses[#statuses + 1] = string.format('"%d":%d', status, count)
  end
  io.write(string.format(line, summary.requests, summary.duration / 1e6, p99, table.concat(statuses, ','),
    errors.connect, errors.read, errors.write, errors.timeout))
end
