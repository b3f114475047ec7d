import type { UsageClass } from '../../model/event-types.ts'
import { readArea, readAreaQuery } from './area-parameters.ts'
import type { RawRequest } from './raw-request.ts'
import { areaOfBox, areaOfTile } from './requested-area.ts'
import { tileOfParameters, tileOfPath } from './requested-tile.ts'
import { usageClassOf } from './usage-class.ts'

const tileServices = ['OWS:TMS', 'OWS:WMTS', 'OWS:WMS-C']
/** Classes of requests with a location. */
const placedClasses: readonly UsageClass[] = ['tiles', 'maps', 'features', 'downloads']

/** Usage fields of a request: see `RequestEvent`. */
export interface UsageFacts {
  usageClass: UsageClass
  area: string | null
}

/**
 * Reads usage class and area from the URL of a request, not from its body. Returns a promise only if a CRS
 * has to be loaded.
 */
export function usageFacts(request: RawRequest): UsageFacts | Promise<UsageFacts> {
  const { eventType, method, resources, target = request.path } = request
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const parameters = mark < 0 ? {} : readAreaQuery(target.slice(mark + 1))
  const canBeTile = eventType !== null && tileServices.includes(eventType)
  const tile = canBeTile ? (tileOfParameters(parameters) ?? tileOfPath(path)) : undefined
  const operation = request.operation ?? parameters.request?.[0]
  const isInfo = operation?.toLowerCase() === 'getfeatureinfo'
  const usageClass = usageClassOf({
    eventType,
    method,
    path,
    operation,
    resources,
    isTile: (tile !== undefined || (canBeTile && request.isCountedOnly === true)) && !isInfo,
  })
  if (resources.length === 0 || !placedClasses.includes(usageClass)) return { usageClass, area: null }
  if (tile !== undefined) return { usageClass, area: areaOfTile(tile) ?? null }
  const box = readArea(parameters, eventType)
  const area = box === undefined ? undefined : areaOfBox(box)
  if (area instanceof Promise) return area.then((found) => ({ usageClass, area: found ?? null }))
  return { usageClass, area: area ?? null }
}
