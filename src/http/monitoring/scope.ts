import type { App, HttpContext } from '../app-types.ts'
import type { MonitoringWire } from './dialect.ts'

/** What the parts of monitoring's interface share. */
export interface MonitoringScope {
  context: HttpContext
  wire: MonitoringWire
}

/** Adds some paths below `/monitoring` to `app`. */
export type MonitoringRoutes = (app: App, scope: MonitoringScope) => void | Promise<void>
