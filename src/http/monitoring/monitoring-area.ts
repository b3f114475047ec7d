import type { ContextArea } from '../app-types.ts'
import { addEndpoints } from '../endpoint.ts'
import { answerFailures } from '../errors.ts'
import { addAutoconfigureRoute } from './autoconfigure.ts'
import { wireOf } from './dialect.ts'
import { envelopeWriter } from './envelope.ts'
import { addExceptionRoutes } from './exceptions.ts'
import { acceptForms } from './forms.ts'
import { addHostRoutes } from './hosts.ts'
import { addListRoutes } from './lists.ts'
import { addLoadRoutes } from './load.ts'
import { addMetricDataRoute } from './metric-data.ts'
import { addResourceRoutes } from './resources.ts'
import { checkEndpoints } from './routes.ts'
import type { MonitoringRoutes, MonitoringScope } from './scope.ts'
import { addServiceRoutes } from './services.ts'

/** One line each. */
const parts: MonitoringRoutes[] = [
  addHostRoutes, // /api/hosts
  addServiceRoutes, // /api/services
  addListRoutes, // /api/metrics, /api/resource_types, /api/event_types
  addMetricDataRoute, // /api/metric_data
  addResourceRoutes, // /api/resources, /api/labels
  addExceptionRoutes, // /api/exceptions
  addAutoconfigureRoute, // /api/autoconfigure
  addLoadRoutes, // /api/load
]

/** `/monitoring` and everything below; nothing where monitoring is off. */
export const monitoringArea: ContextArea = async (app, context) => {
  const { server, monitoring } = context.settings
  if (!monitoring.isOn) return
  answerFailures(app, context.log, envelopeWriter(server.dialect))
  app.setValidatorCompiler(() => (value: unknown) => ({ value }))
  await acceptForms(app)
  const scope: MonitoringScope = { context, wire: wireOf(server.dialect) }
  for (const add of parts) await add(app, scope)
  addEndpoints(app, checkEndpoints, { notifications: context.notifications, wire: scope.wire })
}
