import type { Database } from '../../core/db/connection.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { Vault } from '../../core/secrets/vault.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Outlets } from './channels/channel.ts'
import { serverIdentity } from './channels/channel.ts'
import { OpenChannels } from './channels/open-channels.ts'
import { Checks } from './configure/checks.ts'
import type { ValueSource } from './evaluate/evaluate-check.ts'
import type { NotificationsDeps } from './notifications.ts'
import { Notifications } from './notifications.ts'

/** Dependencies of a server's checks and notifications. */
export interface CreateNotificationsDeps {
  settings: Outlets['settings']
  /** URL of the base path, for links in messages. */
  baseUrl: string
  outbound: Outlets['outbound']
  vault: Vault
  database: Database
  clock: Clock
  log: Logger
  services: NotificationsDeps['services']
  values: ValueSource
  reported?: NotificationsDeps['reported']
  /** Time limit of one delivery attempt. */
  attemptMs?: number
}

/** Creates notifications with the channels of the settings. */
export function createNotifications(deps: CreateNotificationsDeps): Notifications {
  const { settings, baseUrl, outbound, vault, database, clock, log, services, values, attemptMs, reported } =
    deps
  const identity = serverIdentity(baseUrl)
  const channels = new OpenChannels({ settings, identity, outbound, clock })
  const checks = new Checks({ database, clock, vault, services, resources: values })
  return new Notifications({
    database,
    clock,
    log,
    values,
    services,
    channels,
    vault,
    checks,
    attemptMs,
    reported,
  })
}
