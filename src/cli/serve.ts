import { setTimeout as sleep } from 'node:timers/promises'
import { holdBundle } from '../core/bundle/bundle-folder.ts'
import type { DataSettings, Settings } from '../core/config/settings.ts'
import { loadSettings } from '../core/config/settings.ts'
import { explain } from '../core/errors/errors.ts'
import { defined } from '../core/values/defined.ts'
import type { LocalServer } from './local-server.ts'
import { startLocalServer } from './local-server.ts'
import type { Environment } from './options.ts'
import { readFlags, refuseMoreWords } from './options.ts'
import { ProgressDisplay } from './progress-display.ts'
import type { RestClient } from './rest-client.ts'
import { importSample, isSampleRequested } from './sample.ts'

const signals = ['SIGTERM', 'SIGINT'] as const
/** A regular shutdown takes 10 s at most. After this time the process is terminated. */
const stopTimeoutMilliseconds = 15_000

/**
 * Resolves at the first stop signal. A second signal terminates the process, as does a stop that takes longer
 * than `drainSeconds` and the time limit.
 */
export function stopSignal(drainSeconds = 0): Promise<void> {
  return new Promise((resolve) => {
    const first = (): void => {
      for (const signal of signals) process.off(signal, first)
      for (const signal of signals) process.once(signal, () => process.exit(1))
      setTimeout(() => process.exit(1), drainSeconds * 1000 + stopTimeoutMilliseconds).unref()
      resolve()
    }
    for (const signal of signals) process.on(signal, first)
  })
}

const everyMs = 5000
/** The main thread counts as idle below this share of busy time. */
const busyPart = 0.1

/**
 * Runs garbage collection once when the main thread becomes idle after work: V8 itself waits for further
 * work. Does nothing without `--expose-gc`. Returns a function that stops this.
 */
export function collectWhenQuiet(): () => void {
  const { gc } = globalThis
  if (gc === undefined) return () => undefined
  let last = performance.eventLoopUtilization()
  let isDue = true
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const isBusy = performance.eventLoopUtilization(now, last).utilization > busyPart
    if (isDue && !isBusy) gc()
    isDue = isBusy
    last = now
  }, everyMs).unref()
  return () => clearInterval(timer)
}

/** `terrane serve`: runs until a signal stops the server. */
export function runServe(args: string[], env: Environment): Promise<number> {
  return runUntilStopped({ ...env, ...readServeFlags('serve', args) })
}

/** `terrane work`: the same for a server that only runs jobs. */
export function runWork(args: string[], env: Environment): Promise<number> {
  return runUntilStopped({ ...env, ...readServeFlags('work', args), TERRANE_ROLES: 'work' })
}

async function runUntilStopped(env: Environment): Promise<number> {
  const settings = loadSettings(env)
  for (const notice of settings.notices) process.stderr.write(`${notice}\n`)
  const { drainSeconds } = settings.server
  const stopped = stopSignal(drainSeconds)
  const releaseBundle = holdBundle()
  const server = await startLocalServer(settings)
  const stopCollecting = collectWhenQuiet()
  try {
    await greet(server, settings)
    say('Stop it with Ctrl-C.')
    await stopped
    server.readiness.drain()
    // Meanwhile load balancers see that the server is not ready, and send requests to other servers.
    await sleep(drainSeconds * 1000)
  } finally {
    stopCollecting()
    await server.close()
    releaseBundle()
  }
  return 0
}

async function greet(server: LocalServer, { roles, data }: Pick<Settings, 'roles' | 'data'>): Promise<void> {
  say(`Terrane is ready at ${server.url}`)
  if (roles.includes('serve')) {
    if (data.sample) await offerSample(server, data)
    say(`  layers       ${server.url}/ogc/collections`)
    say(`  reference    ${server.url}/docs`)
  } else say('It runs jobs, and answers /health and /metrics.')
}

const flags = { port: { type: 'string' }, host: { type: 'string' }, data: { type: 'string' } } as const

/** Reads settings from the command line, which override those of the environment. */
function readServeFlags(command: string, args: string[]): Environment {
  const { values, positionals } = readFlags(command, args, flags)
  refuseMoreWords(command, positionals, 0)
  const { port, host, data } = values
  return defined({ TERRANE_PORT: port, TERRANE_HOST: host, TERRANE_DATA: data })
}

/** Importing the sample is optional: a failure is reported and does not stop the server. */
async function offerSample(server: Pick<LocalServer, 'withClient'>, data: DataSettings): Promise<void> {
  try {
    await server.withClient((client) => giveSample(client, data))
  } catch (error) {
    say(`The sample data could not be imported: ${explain(error)}`)
  }
}

async function giveSample(client: RestClient, data: DataSettings): Promise<void> {
  const context = { client, display: new ProgressDisplay(process.stdout), isLocal: false }
  if (!(await isSampleRequested(context.client, data.directory))) return
  say('Importing the sample data (TERRANE_SAMPLE=off leaves this out) ...')
  for (const { file, state, message } of await importSample(context, data.directory)) {
    if (state !== 'COMPLETE') say(`  ${file}: ${state} ${message}`)
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
