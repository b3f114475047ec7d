import { tmpdir } from 'node:os'
import type { DataDirectory } from '../core/config/data-directory.ts'
import { lockDataDirectory, prepareDataDirectory } from '../core/config/data-directory.ts'
import type { DataSettings, Settings } from '../core/config/settings.ts'
import { version } from '../core/config/version.ts'
import { type Broadcast, openBroadcast, silence } from '../core/db/broadcast.ts'
import type { Database } from '../core/db/connection.ts'
import { openDatabase } from '../core/db/connection.ts'
import { createEventBus, type EventBus } from '../core/events/events.ts'
import { listFullFolders, setWrittenFolders } from '../core/files/full-disk.ts'
import { setGuard } from '../core/files/guarded-files.ts'
import { type Jobs, maintenanceLane } from '../core/jobs/jobs.ts'
import type { Logger } from '../core/log/logger.ts'
import { Nodes } from '../core/nodes/nodes.ts'
import { Outbox } from '../core/outbox/outbox.ts'
import { type Clock, systemClock } from '../core/time/clock.ts'
import { realPathOf } from '../inputs/index.ts'
import { openFiles, prepareScratch } from './open-files.ts'
import { requireSecretKey } from './secret-key.ts'
import type { AppBase } from './services.ts'
import { requireSharedFiles } from './shared-files.ts'

const outboxSweepSeconds = 3_600

/** Opens the basis of all parts: data directory, catalogue database, list of servers, and events. */
export async function openBase(
  settings: Settings,
  { clock = systemClock, log }: { clock: Clock | undefined; log: Logger },
  closers: (() => void | Promise<void>)[],
): Promise<{ base: AppBase; nodes: Nodes; broadcast: Broadcast }> {
  const prepared = await prepareData(settings, log, closers)
  const url = settings.databaseUrl
  if (url === undefined) closers.push(lockDataDirectory(prepared.root))
  const database = await openOwnDatabase(url, prepared)
  closers.push(() => database.close())
  const directory = { ...prepared, key: await requireSecretKey(database, prepared) }
  const files = await openFiles(settings.files, directory, database, closers)
  await requireSharedFiles(database, files.area, log)
  const nodes = await openNodes(settings, database, log, closers)
  const broadcast = url === undefined ? silence : await openBroadcast(url, log)
  closers.push(() => broadcast.close())
  const events = createEventBus((error) => log.error({ err: error }, 'a listener failed'))
  return { base: { settings, directory, database, files, events, clock, log }, nodes, broadcast }
}

export function openOwnDatabase(
  url: Settings['databaseUrl'],
  { databasePath }: DataDirectory,
): Promise<Database> {
  return openDatabase(url === undefined ? { path: databasePath } : { url })
}

function reportFullFolders({ root }: DataDirectory, log: Logger): void {
  setWrittenFolders([
    { path: root, name: 'the data directory, TERRANE_DATA' },
    { path: tmpdir(), name: 'the temporary folder, TMPDIR' },
  ])
  for (const { path, name } of listFullFolders())
    log.error(`The disk of ${path} is full (${name}): data can be read, but nothing can be written`)
}

async function prepareData(
  { data, files }: Pick<Settings, 'data' | 'files'>,
  log: Logger,
  closers: (() => void | Promise<void>)[],
): Promise<DataDirectory> {
  const directory = prepareScratch(prepareDataDirectory(data), files, closers)
  await guardFiles(data, directory)
  reportFullFolders(directory, log)
  return directory
}

/** Opens the outbox, which sends changes of the catalogue to the other servers. */
export async function openOutbox(
  deps: ConstructorParameters<typeof Outbox>[0],
  { events, jobs }: { events: EventBus; jobs: Jobs },
  closers: (() => void | Promise<void>)[],
): Promise<void> {
  const outbox = new Outbox(deps, (fact) => events.receive(fact))
  const kind = 'outbox.sweep'
  const sweep = { lane: maintenanceLane, run: () => outbox.sweep(), abandoned: async () => undefined }
  jobs.register({ [kind]: sweep }, [{ name: kind, kind, everySeconds: outboxSweepSeconds }])
  events.setRecorder(outbox)
  closers.push(() => outbox.close())
  await outbox.start()
}

async function openNodes(
  { roles }: Pick<Settings, 'roles'>,
  database: Database,
  log: Logger,
  closers: (() => void | Promise<void>)[],
): Promise<Nodes> {
  const nodes = new Nodes({ database, log, version, roles })
  closers.push(() => nodes.stop())
  await nodes.start()
  return nodes
}

/** From here on files are read only from the import roots and from folders of the server. */
async function guardFiles(data: DataSettings, directory: DataDirectory): Promise<void> {
  const { uploads, stores, rejects, archives, indexes, maps, sides } = directory
  const temporary = tmpdir()
  // If the temporary folder is reached by a link, files in it are not found by their own paths.
  const linked = (await realPathOf(temporary)) === temporary ? [] : [temporary]
  setGuard({
    roots: await Promise.all(data.importRoots.map(realPathOf)),
    own: [uploads, stores, rejects, archives, indexes, maps, sides, ...linked],
  })
}
