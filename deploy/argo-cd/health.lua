local status = obj.status or {}
local conditions = {}
for _, condition in ipairs(status.conditions or {}) do
  conditions[condition.type] = condition
end
local ready = conditions["Ready"]
if ready == nil or status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing", message = "Waiting for Trimtab to observe this ConfigRollout" }
end
local function is(type)
  return conditions[type] ~= nil and conditions[type].status == "True"
end
if status.phase == "Parked" then
  return { status = "Suspended", message = ready.message }
elseif is("Degraded") then
  return { status = "Degraded", message = conditions["Degraded"].message }
elseif is("Ready") then
  return { status = "Healthy", message = ready.message }
elseif is("Stalled") then
  return { status = "Suspended", message = ready.message }
end
return { status = "Progressing", message = ready.message }
