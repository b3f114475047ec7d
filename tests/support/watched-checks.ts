import { join } from 'node:path'
import type { Database } from '../../src/core/db/connection.ts'
import { openDatabase } from '../../src/core/db/connection.ts'
import { Secret } from '../../src/core/secrets/secret.ts'
import { createVault } from '../../src/core/secrets/vault.ts'
import { defined } from '../../src/core/values/defined.ts'
import { createAddressGuard } from '../../src/inputs/remote/address-guard.ts'
import type { Outlets } from '../../src/monitoring/notify/channels/channel.ts'
import { createNotifications } from '../../src/monitoring/notify/create-notifications.ts'
import type { Check, Delivery, NewCheck } from '../../src/monitoring/notify/model/model.ts'
import type { Notifications } from '../../src/monitoring/notify/notifications.ts'
import { findCheck, insertCheck } from '../../src/monitoring/notify/records/check-repository.ts'
import { listDeliveries } from '../../src/monitoring/notify/records/delivery-repository.ts'
import type { NewReceiver } from '../../src/monitoring/notify/records/receiver-repository.ts'
import { replaceReceivers } from '../../src/monitoring/notify/records/receiver-repository.ts'
import { fixedClock } from './fixed-clock.ts'
import { testCluster } from './postgres.ts'
import { silentLogger } from './silent-logger.ts'
import type { Cleanup } from './terrane-process.ts'
import { temporaryData } from './terrane-process.ts'

export const databaseKinds = ['sqlite', 'postgres'] as const

/** Creates a database of that kind for a test. */
export async function ownDatabasePlace(
  test: Cleanup,
  kind: (typeof databaseKinds)[number],
): Promise<{ path: string } | { url: Secret }> {
  return kind === 'sqlite'
    ? { path: join(temporaryData(test), 'checks.sqlite') }
    : { url: new Secret(await (await testCluster()).createDatabase()) }
}

export interface WatchOptions {
  smtpUrl?: string
  mailFrom?: string
  /** Networks that webhooks may be sent to though they are private. */
  allow?: string[]
  attemptMs?: number
  clock?: ReturnType<typeof fixedClock>
  authorities?: string[]
}

/** Checks of `request.count` with a value that the test sets; everything else is real. */
export interface WatchedChecks {
  database: Database
  notifications: Notifications
  clock: ReturnType<typeof fixedClock>
  /**
   * Sets the value of `request.count` in each period, and how long before the period's end it was last
   * measured.
   */
  set(value: number | undefined, secondsAgo?: number): void
  /** A check that fails above 5. */
  add(receivers: NewReceiver[], changes?: Partial<NewCheck>): Promise<number>
  /** Seals the secret of a webhook. */
  seal(secret: string): string
  /** Advances the clock by that many minutes, evaluates, and waits for the delivery attempts. */
  pass(minutes: number): Promise<void>
  get(id: number): Promise<Check>
  deliveries(id: number): Promise<Delivery[]>
  close(): Promise<void>
}

const key = Buffer.alloc(32, 7)

const identity: Outlets['identity'] = { host: 'maps.example.org', baseUrl: 'http://maps.example.org/geo' }

/** Returns the connections and settings with which channels send. */
export function testOutlets(options: WatchOptions = {}, clock: Outlets['clock']): Outlets {
  const { allow = ['127.0.0.0/8'], authorities = [], smtpUrl, mailFrom } = options
  const { connect } = createAddressGuard({ allow, ownPort: () => undefined })
  const settings = defined({ smtpUrl: smtpUrl === undefined ? undefined : new Secret(smtpUrl), mailFrom })
  return { settings, identity, outbound: { connect, authorities }, clock }
}

/** Watches checks on a database; closed by `close` or after the test. */
export async function watchChecks(
  test: Cleanup,
  databasePlace: { path: string } | { url: Secret },
  options: WatchOptions = {},
): Promise<WatchedChecks> {
  const database = await openDatabase(databasePlace)
  const clock = options.clock ?? fixedClock('2026-11-21T12:00:00Z')
  const vault = createVault(key)
  const { settings, outbound } = testOutlets(options, clock)
  let value: number | undefined
  let age = 0
  const notifications = createNotifications({
    settings,
    outbound,
    baseUrl: identity.baseUrl,
    vault,
    database,
    clock,
    log: silentLogger,
    attemptMs: options.attemptMs ?? 5000,
    services: async () => [
      {
        id: 1,
        name: 'maps-app',
        type: 'app',
        isActive: true,
        checkIntervalSeconds: 60,
        lastCheck: clock.now().toISOString(),
      },
    ],
    values: {
      value: async ({ to }) => ({ value, lastValidTo: value === undefined ? undefined : to - age }),
      labels: async () => [],
      findResource: async () => undefined,
      findResourceId: async () => undefined,
      report: (error) => {
        throw error
      },
    },
  })
  const close = async (): Promise<void> => {
    await notifications.stop()
    await database.close()
  }
  let isClosed = false
  const closeOnce = async (): Promise<void> => {
    if (!isClosed) {
      isClosed = true
      await close()
    }
  }
  test.after(closeOnce)
  return {
    database,
    notifications,
    clock,
    set: (next, secondsAgo = 0) => {
      value = next
      age = secondsAgo
    },
    add: async (receivers, changes = {}) => {
      const id = await insertCheck(database.kysely, { ...plainCheck, ...changes })
      await replaceReceivers(database.kysely, id, ['user', 'address', 'webhook'], receivers)
      return id
    },
    seal: (secret) => vault.seal(secret),
    pass: async (minutes) => {
      clock.advance(minutes * 60_000)
      await notifications.evaluate(clock.now())
      await notifications.deliver()
    },
    get: async (id) => {
      const check = await findCheck(database.kysely, id)
      if (check === undefined) throw new Error(`No check ${id}`)
      return check
    },
    deliveries: (id) => listDeliveries(database.kysely, id, 100),
    close: closeOnce,
  }
}

const plainCheck: NewCheck = {
  name: 'Too many requests',
  description: 'More than the server is made for',
  severity: 'error',
  isActive: true,
  graceSeconds: 600,
  windowSeconds: 60,
  definitions: [
    {
      metric: 'request.count',
      option: 'max_value',
      description: 'Number of requests is higher than',
      bounds: {
        min: 0,
        max: null,
        steps: null,
        usesService: false,
        usesResource: false,
        usesLabel: false,
        usesOwsService: false,
      },
      threshold: { value: 5 },
    },
  ],
}

/** A plain address as a receiver. */
export function toAddress(target: string): NewReceiver {
  return { kind: 'address', target, secret: '' }
}
