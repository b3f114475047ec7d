import type { CaughtException, RequestEvent } from '../../series/request-event.ts'
import { ExceptionQuota } from '../exception-quota.ts'
import type {
  CollectedService,
  CollectorDeps,
  CollectReport,
  ServiceCollector,
} from '../service-collector.ts'
import { LogBatch } from './log-batch.ts'
import { LogFollower } from './log-follower.ts'
import { requestMaker } from './log-request.ts'

/** Limits of one batch, which is one transaction. */
const limit = { lines: 20_000, bytes: 32 << 20 }

/**
 * Creates a collector that follows the access log of a service; undefined for a service without an access
 * log.
 */
export function createLogCollector(
  service: CollectedService,
  { writer, classifier }: CollectorDeps,
): ServiceCollector | undefined {
  const { id, source } = service
  if (source.kind !== 'log') return undefined
  const follower = new LogFollower(source.path)
  const toRequest = requestMaker(service)
  const quota = new ExceptionQuota()
  const name = `log:${id}`

  return {
    async collect(now, signal): Promise<CollectReport> {
      const from = await writer.cursor(name)
      const batch = new LogBatch(now, toRequest)
      const { cursor, hasMore, problems, isMissing } = await follower.read(from, batch, limit, signal)
      if (isMissing) throw new Error(problems.join('\n'))
      if (cursor === undefined) return { hasMore, problems }
      const events = await classifier.classify(batch.requests)
      const exceptions = events.flatMap((event) => exceptionOf(event, quota))
      const isOurs = await quota.whileKept(exceptions, async () => {
        signal.throwIfAborted()
        const samples = batch.samples(id, now)
        return writer.append({ events, exceptions, samples, cursor: { source: name, from, to: cursor } })
      })
      // Another server that reads the same log has already written this batch.
      if (!isOurs) return { hasMore: true }
      return { hasMore, problems: [...problems, ...batch.problems()] }
    },
    close: () => follower.close(),
  }
}

function exceptionOf(event: RequestEvent, quota: ExceptionQuota): CaughtException[] {
  const { serviceId, created, errorType, method, path, status } = event
  if (errorType === null || !quota.take(created)) return []
  const message = `${method} ${path} was answered with ${status}`
  return [{ serviceId, created, errorType, message, stack: message, request: event }]
}
