import type { Environment } from './environment.ts'
import type { MonitoringOptions } from './monitoring-options.ts'
import type { RestRequests } from './rest-client.ts'

export interface MonitoringContext {
  client: RestRequests
  options: MonitoringOptions
  env: Environment
  /** Prints a line. */
  say(text: string): void
}

/** Receives the remaining arguments; returns the exit code. */
export type MonitoringCommand = (context: MonitoringContext, words: string[]) => Promise<number>
