-- What wrk asks and counts. Its words are the plan, a Lua file, and how many requests there were before.
local line = '{"requests":%d,"seconds":%.6f,"p99":%.3f,"answered":%s,"errors":%s}\n'
local threads = {}
local plan, count, number
local answered = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  plan, number = dofile(args[1]), 1000000000 + tonumber(args[2])
  count = #plan.tails
end

function request()
  number = number + 1
  local campaign = 1 + number * plan.stride % plan.campaigns
  return plan.head .. campaign .. plan.tails[campaign % count + 1] .. number .. plan.ending
end

function response(status)
  answered[status] = (answered[status] or 0) + 1
end

local function json(counts)
  local fields = {}
  for name, many in pairs(counts) do
    table.insert(fields, string.format('"%s":%d', name, many))
  end
  return '{' .. table.concat(fields, ',') .. '}'
end

-- `thread:get` reads a global of the thread's own state, and breaks on tables: this one is made when it is read.
setmetatable(_G, {
  __index = function(_, name)
    if name == 'answered_json' then
      return json(answered)
    end
  end,
})

function done(summary, latency)
  local errors = {}
  for _, name in ipairs({ 'connect', 'read', 'write', 'timeout' }) do
    if summary.errors[name] > 0 then
      errors[name] = summary.errors[name]
    end
  end
  local p99 = latency:percentile(99) / 1000
  local seen = threads[1]:get('answered_json')
  io.write(string.format(line, summary.requests, summary.duration / 1e6, p99, seen, json(errors)))
end
