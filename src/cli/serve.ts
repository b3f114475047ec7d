import type { DataSettings } from '../config/settings.ts'
import { loadSettings } from '../config/settings.ts'
import { holdBundle } from '../lib/bundle-folder.ts'
import { defined } from '../lib/defined.ts'
import { explain } from '../lib/errors.ts'
import { collectWhenQuiet } from './collect-when-quiet.ts'
import type { Environment } from './environment.ts'
import type { LocalServer } from './local-server.ts'
import { startLocalServer } from './local-server.ts'
import { readFlags, refuseMoreWords } from './options.ts'
import { ProgressDisplay } from './progress-display.ts'
import type { RestClient } from './rest-client.ts'
import { importSample, isSampleWanted } from './sample.ts'
import { stopSignal } from './stop-signal.ts'

/** `terrane serve`: runs until a signal stops it in order. */
export async function runServe(args: string[], env: Environment): Promise<number> {
  const settings = loadSettings({ ...env, ...readServeFlags(args) })
  for (const notice of settings.notices) process.stderr.write(`${notice}\n`)
  const stopped = stopSignal()
  const releaseBundle = holdBundle()
  const server = await startLocalServer(settings)
  const stopCollecting = collectWhenQuiet()
  try {
    say(`Terrane is ready at ${server.url}`)
    if (settings.data.sample) await offerSample(server, settings.data)
    say(`  layers       ${server.url}/ogc/collections`)
    say(`  reference    ${server.url}/docs`)
    say('Stop it with Ctrl-C.')
    await stopped
  } finally {
    stopCollecting()
    await server.close()
    releaseBundle()
  }
  return 0
}

const flags = { port: { type: 'string' }, host: { type: 'string' }, data: { type: 'string' } } as const

/** Reads settings from the command line, which override those of the environment. */
function readServeFlags(args: string[]): Environment {
  const { values, positionals } = readFlags('serve', args, flags)
  refuseMoreWords('serve', positionals, 0)
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
  if (!(await isSampleWanted(context, data.directory))) return
  say('Importing the sample data (TERRANE_SAMPLE=off leaves this out) ...')
  for (const { file, state, message } of await importSample(context, data.directory)) {
    if (state !== 'COMPLETE') say(`  ${file}: ${state} ${message}`)
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
