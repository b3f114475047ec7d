import { type Accounts, ProviderChecks } from '../access/index.ts'
import { AuditLog, AuditSealer, createSyslog, toState } from '../audit/index.ts'
import { actingUser } from '../core/concurrency/acting.ts'
import { createVault } from '../core/secrets/vault.ts'
import { readSealKeys } from './audit-keys.ts'
import type { AppBase } from './services.ts'

/** Opens the audit log with its seals. `closers` gets what ends it: last, so that everything before is recorded. */
export async function openAudit(
  { settings, directory, database, clock, log, events }: AppBase,
  closers: (() => void | Promise<void>)[],
): Promise<{ auditLog: AuditLog; auditSealer: AuditSealer }> {
  const { keepDays, syslog: receiver } = settings.access.audit
  const syslog = receiver && createSyslog(receiver, log)
  const auditLog = new AuditLog({ database, clock, log, forward: syslog && ((entry) => syslog.send(entry)) })
  const keys = await readSealKeys(database.kysely, directory.key)
  const record = (action: string, about: { resource: string; after: unknown }): void =>
    auditLog.record({
      time: clock.now().toISOString(),
      user: actingUser(),
      via: 'system',
      address: undefined,
      action,
      outcome: 'done',
      resource: about.resource,
      before: undefined,
      after: toState(about.after),
      request: undefined,
    })
  const auditSealer = new AuditSealer({ database, clock, log, keys, keepDays })
  events.on('layer.published', ({ workspace, layer, ...after }) =>
    record('layer.publish', { resource: `${workspace}:${layer}`, after }),
  )
  events.on('layer.removed', ({ workspace, layer }) =>
    record('layer.remove', { resource: `${workspace}:${layer}`, after: undefined }),
  )
  closers.push(async () => {
    await auditSealer.stop()
    await auditLog.stop()
    await syslog?.close()
  })
  auditSealer.start()
  return { auditLog, auditSealer }
}

/** Starts the regular checks of providers' accounts. */
export function openProviderChecks(
  {
    settings,
    directory,
    database,
    clock,
    log,
    accounts,
    auditLog,
  }: AppBase & { accounts: Accounts; auditLog: AuditLog },
  closers: (() => void | Promise<void>)[],
): ProviderChecks {
  const { checkMinutes, confirmDays } = settings.access
  const checks = new ProviderChecks({
    database,
    clock,
    log,
    vault: createVault(directory.key),
    providers: accounts.providers,
    checkMinutes,
    confirmDays,
    onRemoved: (user, reason) =>
      auditLog.record({
        time: clock.now().toISOString(),
        user,
        via: 'system',
        address: undefined,
        action: 'access.remove',
        outcome: 'done',
        resource: `/rest/security/users/${user}`,
        before: undefined,
        after: toState({ reason }),
        request: undefined,
      }),
  })
  closers.push(() => checks.stop())
  checks.start()
  return checks
}
