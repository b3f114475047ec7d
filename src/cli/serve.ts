import type { Settings } from '../config/settings.ts'
import { loadSettings } from '../config/settings.ts'
import { holdBundle } from '../lib/bundle-folder.ts'
import { explain } from '../lib/errors.ts'
import { collectWhenQuiet } from './collect-when-quiet.ts'
import type { Environment } from './environment.ts'
import { expectNoArguments } from './options.ts'
import type { OwnServer } from './own-server.ts'
import { startOwnServer } from './own-server.ts'
import { ProgressDisplay } from './progress-display.ts'
import type { RestClient } from './rest-client.ts'
import { importSample, isSampleWanted } from './sample.ts'
import { stopSignal } from './stop-signal.ts'

/** `terrane serve`: until a signal stops it, in order. */
export async function runServe(args: string[], env: Environment): Promise<number> {
  expectNoArguments('serve', args)
  const settings = loadSettings(env)
  for (const notice of settings.notices) process.stderr.write(`${notice}\n`)
  const stopped = stopSignal()
  const releaseBundle = holdBundle()
  const server = await startOwnServer(settings)
  const stopCollecting = collectWhenQuiet()
  try {
    say(`Terrane is ready at ${server.url}`)
    if (settings.data.sample) await offerSample(server, settings)
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

/** The sample is a courtesy: its failure is told and stops nothing. */
async function offerSample(server: OwnServer, settings: Settings): Promise<void> {
  try {
    await server.withClient((client) => giveSample(client, settings))
  } catch (error) {
    say(`The sample data could not be imported: ${explain(error)}`)
  }
}

async function giveSample(client: RestClient, { data }: Settings): Promise<void> {
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
