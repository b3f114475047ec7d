import type { Database } from '../../core/db/connection.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { Vault } from '../../core/secrets/vault.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { OpenChannels } from './channels/open-channels.ts'
import type { Checks } from './configure/checks.ts'
import { actOnProblems } from './deliver/act-on-problems.ts'
import { Deliveries } from './deliver/deliveries.ts'
import type { TestResult } from './deliver/send-test.ts'
import { sendTest } from './deliver/send-test.ts'
import type { WatchedService } from './evaluate/evaluate.ts'
import type { ValueSource } from './evaluate/evaluate-check.ts'
import { evaluateCheck } from './evaluate/evaluate-check.ts'
import { amountText } from './model/amount.ts'
import type { CheckProblems, Problem } from './model/model.ts'
import { listChecks } from './records/check-repository.ts'
import { listNewestDeliveries } from './records/delivery-repository.ts'
import { createShippedChecks } from './records/shipped-checks.ts'

const periodSeconds = 60
/** Number of periods after which an evaluation is too old. */
const maxBehind = 2
const deliveryProblemMs = 86_400_000

/** Dependencies of checks and notifications. */
export interface NotificationsDeps {
  database: Database
  clock: Clock
  log: Logger
  values: ValueSource
  services(): Promise<readonly WatchedService[]>
  channels: OpenChannels
  /** Decrypts the secrets that receivers share with this server. */
  vault: Pick<Vault, 'open'>
  checks: Checks
  /** Problems that other modules report, by the id of their check. */
  reported?(): ReadonlyMap<number, Problem[]>
  /** Time limit of one delivery attempt. */
  attemptMs?: number
}

interface Evaluation {
  to: number
  /** Digest of the checks that were evaluated. */
  fingerprint: string
  found: Promise<CheckProblems[]>
}

/** Entry point: evaluates checks and notifies receivers of problems. `checks` creates and changes checks. */
export class Notifications {
  readonly checks: Checks
  readonly #deps: NotificationsDeps
  readonly #deliveries: Deliveries
  #last: Evaluation | undefined
  readonly #startedAt: number
  #settledTo = 0

  constructor(deps: NotificationsDeps) {
    this.#deps = deps
    this.checks = deps.checks
    this.#startedAt = deps.clock.now().getTime()
    this.#deliveries = new Deliveries(deps)
  }

  /** Creates the default checks, once. */
  async start(): Promise<void> {
    const { database } = this.#deps
    await database.alone(() => createShippedChecks(database))
  }

  /**
   * Evaluates every active check and starts sending the resulting messages, without waiting for mail servers.
   * Call it after the minute that ended before `now` was computed.
   */
  async evaluate(now: Date): Promise<void> {
    const to = periodEnd(now)
    this.#settledTo = Math.max(this.#settledTo, to)
    for (const found of await this.#evaluation(to))
      await actOnProblems(this.#deps, found, { to, now: now.getTime() })
    void this.#deliveries.run()
  }

  /**
   * Returns the current problems, as of the last computed period; an undelivered message is a problem of its
   * check.
   */
  async problems(): Promise<CheckProblems[]> {
    const now = this.#deps.clock.now()
    const { kysely } = this.#deps.database
    const current = periodEnd(now)
    const isFresh = current - this.#settledTo <= maxBehind * periodSeconds
    const found = await this.#evaluation(isFresh ? this.#settledTo : current)
    const since = new Date(now.getTime() - deliveryProblemMs).toISOString()
    const undelivered = (await listNewestDeliveries(kysely, since)).filter(
      ({ state, error }) => (state === 'pending' || state === 'failed') && error !== undefined,
    )
    const checks = undelivered.length === 0 ? [] : await listChecks(kysely)
    const all = [
      ...found,
      ...checks
        .filter(({ id }) => !found.some(({ check }) => check.id === id))
        .map((check) => ({ check, problems: [] })),
    ]
    return all
      .map(({ check, problems }) => {
        const own = undelivered.filter(({ checkId }) => checkId === check.id)
        return { check, problems: [...problems, ...undeliveredProblem(own.length, now.getTime())] }
      })
      .filter(({ problems }) => problems.length > 0)
  }

  /** Returns why messages cannot be sent, for users who can see the checks. */
  notices(): string[] {
    return this.#deps.channels.notices()
  }

  /** Sends each receiver of a check a test message and returns the results. Throws `Failure` (`notFound`). */
  async test(id: number, signal: AbortSignal): Promise<TestResult[]> {
    return sendTest(this.#deps, await this.checks.get(id), signal)
  }

  /** Tries all due deliveries; resolves when every attempt has ended. */
  deliver(): Promise<void> {
    return this.#deliveries.run()
  }

  async stop(): Promise<void> {
    await this.#deliveries.stop()
  }

  /** Evaluates the active checks, once per period and state of the checks. */
  async #evaluation(to: number): Promise<CheckProblems[]> {
    const { database, values, services, clock } = this.#deps
    const checks = (await listChecks(database.kysely)).filter(({ isActive }) => isActive)
    const settings = checks.map(({ lastSend: _sent, failingSince: _since, ...rest }) => rest)
    const fingerprint = JSON.stringify([settings, [...(this.#deps.reported?.() ?? [])]])
    if (this.#last?.to === to && this.#last.fingerprint === fingerprint)
      return withState(await this.#last.found, checks)
    const evaluateAll = async (): Promise<CheckProblems[]> => {
      const now = clock.now().getTime()
      const isStarting = this.#settledTo === 0 && now - this.#startedAt < maxBehind * periodSeconds * 1000
      const moment = { services: await services(), to, now, isStarting }
      const found: CheckProblems[] = []
      const reported = this.#deps.reported?.()
      for (const check of checks) {
        const problems = await evaluateCheck(check, values, moment)
        found.push({ check, problems: [...problems, ...(reported?.get(check.id) ?? [])] })
      }
      return found
    }
    const evaluation: Evaluation = { to, fingerprint, found: evaluateAll() }
    this.#last = evaluation
    evaluation.found.catch(() => {
      if (this.#last === evaluation) this.#last = undefined
    })
    return evaluation.found
  }
}

/**
 * The text contains neither receivers nor responses of the mail server, since every signed-in user can read
 * it.
 */
function undeliveredProblem(count: number, now: number): Problem[] {
  if (count === 0) return []
  const receivers = count === 1 ? '1 receiver' : `${count} receivers`
  return [
    {
      definitionId: 0,
      metric: 'notification.delivery',
      severity: 'warning',
      message: `A message did not reach ${receivers}`,
      description: `The newest message of this check did not reach ${receivers}; the log of its deliveries says why.`,
      offendingValue: amountText(count),
      thresholdValue: amountText(0),
      validFrom: now,
      validTo: now,
    },
  ]
}

function periodEnd(now: Date): number {
  return Math.floor(now.getTime() / 1000 / periodSeconds) * periodSeconds
}

/** Returns the results with the current state of the checks. */
function withState(found: CheckProblems[], checks: CheckProblems['check'][]): CheckProblems[] {
  return found.map((one) => ({ ...one, check: checks.find(({ id }) => id === one.check.id) ?? one.check }))
}
