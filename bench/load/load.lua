-- What wrk asks and counts. Its words are the plan, a Lua file, and how many requests there were before.
local line = '{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"answered":%s,"made":%s,"errors":%s}\n'
local threads = {}
local head, ending, kinds, order, length
local place, number, answered = 0, 0, {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  local plan, before = dofile(args[1]), tonumber(args[2])
  head, ending, kinds, order, length = plan.head, plan.ending, plan.kinds, plan.order, #plan.order
  number = 1000000000 + before
  for _, kind in ipairs(kinds) do
    kind.count, kind.turn, kind.made = #kind.tails, before, 0
  end
end

function request()
  place = place % length + 1
  number = number + 1
  local kind = kinds[order[place]]
  kind.turn = kind.turn + 1
  kind.made = kind.made + 1
  local campaign = kind.first + kind.turn * kind.stride % kind.campaigns
  return head .. campaign .. kind.tails[campaign % kind.count + 1] .. number .. ending
end

function response(status)
  answered[status] = (answered[status] or 0) + 1
end

local function json(counts)
  local fields = {}
  for name, count in pairs(counts) do
    table.insert(fields, string.format('"%s":%d', name, count))
  end
  return '{' .. table.concat(fields, ',') .. '}'
end

local function made()
  local counts = {}
  for _, kind in ipairs(kinds) do
    counts[kind.expected] = (counts[kind.expected] or 0) + kind.made
  end
  return counts
end

-- `thread:get` reads a global of the thread's own state, and breaks on tables: these two are made when they are read.
setmetatable(_G, {
  __index = function(_, name)
    if name == 'answered_json' then
      return json(answered)
    elseif name == 'made_json' then
      return json(made())
    end
  end,
})

function done(summary, latency)
  local errors, thread = {}, threads[1]
  for _, name in ipairs({ 'connect', 'read', 'write', 'timeout' }) do
    if summary.errors[name] > 0 then
      errors[name] = summary.errors[name]
    end
  end
  local p50, p99 = latency:percentile(50) / 1000, latency:percentile(99) / 1000
  local seen, asked = thread:get('answered_json'), thread:get('made_json')
  io.write(string.format(line, summary.requests, summary.duration / 1e6, p50, p99, seen, asked, json(errors)))
end
