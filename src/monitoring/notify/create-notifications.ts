import type { MonitoringSettings } from '../../config/monitoring-settings.ts'
import type { Database } from '../../db/connection.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/vault.ts'
import type { Outbound } from './channels/channel.ts'
import { createMailChannel } from './channels/mail/mail.ts'
import type { Place } from './channels/mail/mail-message.ts'
import { createWebhookChannel } from './channels/webhook/webhook.ts'
import type { Channels } from './deliver/deliveries.ts'
import type { ValueSource } from './evaluate/evaluate-check.ts'
import type { NotificationsNeeds } from './notifications.ts'
import { Notifications } from './notifications.ts'

export interface CreateNotificationsNeeds {
  settings: Pick<MonitoringSettings, 'smtpUrl' | 'mailFrom'>
  /** Address of the base path, as messages name it. */
  baseUrl: string
  outbound: Outbound
  vault: Vault
  database: Database
  clock: Clock
  log: Logger
  services: NotificationsNeeds['services']
  values: ValueSource
  /** Most time for one attempt to deliver. */
  attemptMs?: number
}

/** Notifications that reach their receivers as the settings say. */
export function createNotifications(needs: CreateNotificationsNeeds): Notifications {
  const { settings, baseUrl, outbound, vault, database, clock, log, services, values, attemptMs } = needs
  const place: Place = { host: new URL(baseUrl).hostname.replace(/^\[|\]$/g, ''), baseUrl }
  const webhook = createWebhookChannel({ outbound, vault, clock, place })
  const channels: Channels = { webhook, ...mailChannels(settings, place, outbound) }
  const limit = attemptMs === undefined ? {} : { attemptMs }
  return new Notifications({ database, clock, log, values, services, channels, ...limit })
}

function mailChannels(
  { smtpUrl, mailFrom }: Pick<MonitoringSettings, 'smtpUrl' | 'mailFrom'>,
  place: Place,
  { authorities }: Outbound,
): Channels {
  if (smtpUrl === undefined) return {}
  const mail = createMailChannel({
    url: new URL(smtpUrl.reveal()),
    place,
    authorities,
    ...(mailFrom === undefined ? {} : { from: mailFrom }),
  })
  return { user: mail, address: mail }
}
