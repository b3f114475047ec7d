import type { App, Area, HttpContext } from '../app-types.ts'
import { answerFailures } from '../errors.ts'
import type { MonitoringWire } from './dialect.ts'
import { wireOf } from './dialect.ts'
import { envelopeWriter } from './envelope.ts'
import { acceptForms } from './forms.ts'

/** What the parts of monitoring's interface share. */
export interface MonitoringScope {
  context: HttpContext
  wire: MonitoringWire
}

/** Adds some paths below `/monitoring` to `app`. */
export type MonitoringRoutes = (app: App, scope: MonitoringScope) => void | Promise<void>

/** One line each. */
const parts: MonitoringRoutes[] = []

/** `/monitoring` and everything below; nothing where monitoring is off. */
export const monitoringArea: Area = async (app, context) => {
  const { server, monitoring } = context.settings
  if (!monitoring.isOn) return
  answerFailures(app, context.log, envelopeWriter(server.dialect))
  app.setValidatorCompiler(() => (value: unknown) => ({ value }))
  await acceptForms(app)
  const scope: MonitoringScope = { context, wire: wireOf(server.dialect) }
  for (const add of parts) await add(app, scope)
}
