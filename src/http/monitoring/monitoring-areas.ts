import type { App, Area, FastifyRequest } from '../app-types.ts'
import { addEndpoints } from '../endpoint.ts'
import { answerFailures } from '../errors.ts'
import type { CheckParts } from './checks/notifications.ts'
import type { ExceptionParts } from './counted/exceptions.ts'
import type { MetricDataParts } from './counted/metric-data.ts'
import { envelopeWriter } from './envelope.ts'
import { acceptForms } from './forms.ts'
import type { LoadParts } from './load.ts'
import { checkEndpoints, countedEndpoints, loadEndpoints, watchedEndpoints } from './routes.ts'
import type { AutoconfigureParts } from './watched/autoconfigure.ts'
import type { HostParts } from './watched/hosts.ts'
import type { ServiceParts } from './watched/services.ts'

/** Dependencies of monitoring's endpoints. */
export interface MonitoringAreaParts {
  watched: HostParts & ServiceParts & AutoconfigureParts
  counted: MetricDataParts & ExceptionParts
  loads: LoadParts
  checks: CheckParts
}

/** `/monitoring` and everything below. */
export function monitoringAreas({ watched, counted, loads, checks }: MonitoringAreaParts): Area[] {
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
