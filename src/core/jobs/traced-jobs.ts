import { traced, traceHeaders } from '../telemetry/tracing.ts'
import type { JobHandler, Jobs } from './jobs.ts'

/**
 * Jobs that continue the trace of the request which enqueued them: its `traceparent` is stored in the payload, and
 * taken out before the handler runs. The queue itself is unchanged.
 */
export function traceJobs(jobs: Jobs): Jobs {
  return {
    enqueue: (db, job) => jobs.enqueue(db, { ...job, payload: { ...job.payload, ...traceHeaders() } }),
    register: (handlers, schedules) => jobs.register(traceHandlers(handlers), schedules),
    wake: () => jobs.wake(),
    wait: (jobId, signal) => jobs.wait(jobId, signal),
    withdraw: (jobId) => jobs.withdraw(jobId),
    cancel: (jobId) => jobs.cancel(jobId),
    isHeldByOther: (jobId) => jobs.isHeldByOther(jobId),
    list: (filter) => jobs.list(filter),
    retryFailed: (jobId) => jobs.retryFailed(jobId),
    start: (handlers) => jobs.start(handlers && traceHandlers(handlers)),
    stop: () => jobs.stop(),
  }
}

function traceHandlers(handlers: Record<string, JobHandler>): Record<string, JobHandler> {
  return Object.fromEntries(Object.entries(handlers).map(([kind, one]) => [kind, traceHandler(kind, one)]))
}

function traceHandler(kind: string, handler: JobHandler): JobHandler {
  return {
    ...handler,
    run: ({ traceparent, ...payload }, context) =>
      traced(
        `job ${kind}`,
        {
          kind: 'consumer',
          traceparent: typeof traceparent === 'string' ? traceparent : undefined,
          attributes: {
            'messaging.system': 'terrane',
            'messaging.destination.name': kind,
            'messaging.operation.type': 'process',
            'messaging.message.id': String(context.jobId),
            'terrane.job.attempt': context.attempt,
          },
        },
        () => handler.run(payload, context),
      ),
    abandoned: ({ traceparent: _traceparent, ...payload }, reason) => handler.abandoned(payload, reason),
  }
}
