import { defined, without } from '../../lib/defined.ts'
import { withoutAddress } from '../collect/classify/scrub.ts'
import type { RequestEventType } from '../model/event-types.ts'
import { cumulativeEventTypes } from '../model/event-types.ts'
import { writeExceptions as insertExceptions } from '../series/append.ts'
import { SeriesDictionary } from '../series/dictionary.ts'
import type { CaughtException, RequestEvent, UsedResource } from '../series/request-event.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { eventTypeOf, resourceTypeOf } from './geonode-names.ts'
import type { Tally } from './load-report.ts'
import type { DumpPrivacy } from './metric-meaning.ts'
import type { StagedException, StagedNamed, StagedRequest, StagedResource } from './stage-record.ts'
import type { Staging } from './staging.ts'

export interface ExceptionTarget {
  database: SeriesDatabase
  hiddenServiceId(service: string): number
  privacy: DumpPrivacy
}

const model = 'exceptionevent'
const perTransaction = 500

/** Writes the exceptions with their request data; they are hidden until the load is published. */
export async function writeDumpExceptions(
  staging: Staging,
  tally: Tally,
  target: ExceptionTarget,
): Promise<void> {
  const dictionary = new SeriesDictionary()
  let open: CaughtException[] = []
  const flush = async (): Promise<void> => {
    const batch = open
    open = []
    await target.database.transaction((database) =>
      insertExceptions({ database, dictionary, resources: Number.POSITIVE_INFINITY }, batch),
    )
    tally.loaded(model, batch.length)
  }
  for (const [, staged] of staging.objects<StagedException>(model)) {
    const serviceId = target.hiddenServiceId(staged.service)
    if (serviceId === 0) {
      tally.skipped(model, 'its service is not in the dump')
      continue
    }
    const request = staging.find<StagedRequest>('requestevent', staged.request)
    const { created, errorType, message, stack } = staged
    const event = request && toEvent(request, { serviceId, errorType }, staging, target.privacy)
    open.push({
      serviceId,
      created,
      errorType,
      message: target.privacy.scrub(message),
      stack: target.privacy.scrub(stack),
      ...defined({ request: event }),
    })
    if (open.length >= perTransaction) await flush()
  }
  await flush()
}

function toEvent(
  request: StagedRequest,
  { serviceId, errorType }: { serviceId: number; errorType: string },
  staging: Staging,
  { keepAddress }: DumpPrivacy,
): RequestEvent {
  const { eventType, contentType, userAgent, userAgentFamily, clientIp, size, visitor, userName, ...rest } =
    request
  const facts = without(rest, 'service')
  const address = clientIp === '' ? null : keepAddress(clientIp)
  const told = (text: string): string =>
    clientIp === '' || address === clientIp ? text : withoutAddress(text, clientIp, address)
  return {
    ...facts,
    serviceId,
    errorType,
    eventType: ownEventType(eventType, staging),
    sizeBytes: size,
    contentType: orNull(contentType),
    path: told(rest.path),
    userAgent: orNull(told(userAgent)),
    userAgentFamily: orNull(userAgentFamily),
    clientIp: address,
    country: orNull(request.country),
    region: orNull(request.region),
    city: orNull(request.city),
    visitor: orNull(visitor),
    userName: orNull(userName),
    resources: request.resources.map((pk) => usedResource(pk, staging)).filter((one) => one !== undefined),
  }
}

function ownEventType(pk: string, staging: Staging): RequestEventType | null {
  const name = (staging.find<StagedNamed>('eventtype', pk) ?? staging.find<StagedNamed>('owsservice', pk))
    ?.name
  const type = name === undefined ? undefined : eventTypeOf(name)
  return type === undefined || isCumulative(type) ? null : (type as RequestEventType)
}

function isCumulative(type: string): boolean {
  return cumulativeEventTypes.some((one) => one === type)
}

function usedResource(pk: string, staging: Staging): UsedResource | undefined {
  const found = staging.find<StagedResource>('monitoredresource', pk)
  const type = resourceTypeOf(found?.type ?? '')
  return found === undefined || type === '' ? undefined : { type, name: found.name }
}

function orNull(text: string): string | null {
  return text === '' ? null : text
}
