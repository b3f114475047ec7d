import type { ApiArea, App, FastifyRequest } from '../../app-types.ts'
import { addEndpoints } from '../../endpoint.ts'
import { answerFailures } from '../../errors.ts'
import type { CheckDeps } from './checks/notifications.ts'
import { envelopeWriter } from './envelope.ts'
import { acceptForms } from './forms.ts'
import type { LoadDumpDeps } from './load.ts'
import type { ExceptionDeps } from './metrics/exceptions.ts'
import type { MetricDataDeps } from './metrics/metric-data.ts'
import { checkEndpoints, countedEndpoints, loadEndpoints, watchedEndpoints } from './routes.ts'
import type { HostDeps } from './services/hosts.ts'
import type { AutoconfigureApiDeps, ServiceDeps } from './services/services.ts'

/** Dependencies of monitoring's endpoints. */
export interface MonitoringApiDeps {
  watched: HostDeps & ServiceDeps & AutoconfigureApiDeps
  counted: MetricDataDeps & ExceptionDeps
  loads: LoadDumpDeps
  checks: CheckDeps
}

/** `/monitoring` and everything below. */
export function monitoringAreas({ watched, counted, loads, checks }: MonitoringApiDeps): ApiArea[] {
  return [
    async (app) => {
      tellInEnvelope(app)
      await acceptForms(app)
      addEndpoints(app, watchedEndpoints, watched)
      addEndpoints(app, countedEndpoints, counted)
      addEndpoints(app, checkEndpoints, checks)
    },
    (app) => {
      tellInEnvelope(app)
      acceptStreams(app)
      addEndpoints(app, loadEndpoints, loads)
    },
  ]
}

/** Handlers validate, and schemas only document: errors are reported by field. */
function tellInEnvelope(app: App): void {
  answerFailures(app, envelopeWriter(app.dialect))
  app.setValidatorCompiler(() => (value: unknown) => ({ value }))
}

/** Takes bodies as they come: the stream is the body. */
function acceptStreams(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
}
