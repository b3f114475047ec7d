import type { RequestEventType } from './geonode-names.ts'
import { findRequestEventType, getResourceType } from './geonode-names.ts'
import type { DumpException, DumpRequest, DumpResource, SeriesTarget } from './import-target.ts'
import type { StagedException, StagedNamed, StagedRequest, StagedResource } from './stage-record.ts'
import type { Staging } from './staging.ts'
import type { Tally } from './tally.ts'

const model = 'exceptionevent'
const exceptionsPerBatch = 500

/** Writes the exceptions with their request data; they are hidden until the import is published. */
export async function writeExceptions(
  target: SeriesTarget,
  staging: Staging,
  tally: Tally,
  hiddenIds: ReadonlyMap<string, number>,
): Promise<void> {
  let batch: DumpException[] = []
  const flush = async (): Promise<void> => {
    await target.writeExceptions(batch)
    tally.loaded(model, batch.length)
    batch = []
  }
  for (const [, staged] of staging.objects<StagedException>(model)) {
    const serviceId = hiddenIds.get(staged.service)
    if (serviceId === undefined) {
      tally.skipped(model, 'its service is not in the dump')
      continue
    }
    const { created, errorType, message, stack } = staged
    const exception: DumpException = {
      serviceId,
      created,
      errorType,
      message: target.scrub(message),
      stack: target.scrub(stack),
    }
    const request = staging.find<StagedRequest>('requestevent', staged.request)
    if (request !== undefined)
      exception.request = toRequest(request, { serviceId, errorType }, staging, target)
    batch.push(exception)
    if (batch.length >= exceptionsPerBatch) await flush()
  }
  await flush()
}

function toRequest(
  request: StagedRequest,
  { serviceId, errorType }: { serviceId: number; errorType: string },
  staging: Staging,
  target: SeriesTarget,
): DumpRequest {
  const {
    service: _,
    size,
    eventType,
    contentType,
    userAgent,
    userAgentFamily,
    clientIp,
    visitor,
    userName,
    ...rest
  } = request
  const address = clientIp === '' ? null : target.keepAddress(clientIp)
  const withoutAddress = (text: string): string =>
    clientIp === '' || address === clientIp ? text : target.removeAddress(text, clientIp, address)
  return {
    ...rest,
    serviceId,
    errorType,
    eventType: findEventTypeOf(eventType, staging),
    sizeBytes: size,
    contentType: orNull(contentType),
    path: withoutAddress(rest.path),
    userAgent: orNull(withoutAddress(userAgent)),
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

function findEventTypeOf(pk: string, staging: Staging): RequestEventType | null {
  const found = staging.find<StagedNamed>('eventtype', pk) ?? staging.find<StagedNamed>('owsservice', pk)
  return found === undefined ? null : findRequestEventType(found.name)
}

function usedResource(pk: string, staging: Staging): DumpResource | undefined {
  const found = staging.find<StagedResource>('monitoredresource', pk)
  const type = getResourceType(found?.type ?? '')
  return found === undefined || type === '' ? undefined : { type, name: found.name }
}

function orNull(text: string): string | null {
  return text === '' ? null : text
}
