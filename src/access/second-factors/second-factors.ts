import { randomBytes } from 'node:crypto'
import type { Secret, TOTP } from 'otpauth'
import type { Database } from '../../core/db/connection.ts'
import { conflict, Failure } from '../../core/errors/errors.ts'
import type { Vault } from '../../core/secrets/vault.ts'
import type { Clock } from '../../core/time/clock.ts'
import { digestSecret } from '../passwords.ts'
import type { Throttle } from '../throttle.ts'
import {
  confirmTotp,
  deleteTotp,
  findTotp,
  insertTotp,
  replaceRecoveryCodes,
  type StoredTotp,
  takeStep,
} from './totp-repository.ts'

const periodSeconds = 30
const recoveryCodeCount = 10

export interface SecondFactorsDeps {
  database: Database
  vault: Vault
  clock: Clock
  throttle: Throttle
}

/** One-time codes (RFC 6238) as a second factor of local accounts. */
export class SecondFactors {
  readonly #deps: SecondFactorsDeps

  constructor(deps: SecondFactorsDeps) {
    this.#deps = deps
  }

  /** True if the user signs in with a code. */
  async isNeeded(userName: string): Promise<boolean> {
    return (await this.#find(userName))?.isConfirmed === true
  }

  /** Makes a secret that counts once it is confirmed. Throws `Failure` (`conflict`) if codes are on already. */
  async begin(userName: string, issuer: string): Promise<{ secret: string; uri: string }> {
    if (await this.isNeeded(userName))
      throw conflict('second-factor-on', 'One-time codes are on already: switch them off first')
    const { Secret: NewSecret } = await import('otpauth')
    const secret = new NewSecret({ size: 20 })
    await insertTotp(this.#db, userName, this.#deps.vault.seal(secret.base32))
    return { secret: secret.base32, uri: (await totpOf(secret, { issuer, label: userName })).toString() }
  }

  /** Switches codes on. Returns recovery codes, which are shown only now. Throws `Failure` for a wrong code. */
  async confirm(userName: string, code: string, address: string): Promise<string[]> {
    const stored = await this.#find(userName)
    if (stored === undefined || stored.isConfirmed)
      throw conflict('second-factor-not-begun', 'Begin with POST /rest/security/self/totp')
    await this.#check(userName, stored, code, address)
    const codes = Array.from({ length: recoveryCodeCount }, () => randomBytes(8).toString('hex'))
    const at = this.#deps.clock.now().toISOString()
    await confirmTotp(this.#db, userName, { at, recoveryCodes: codes.map(digestSecret) })
    return codes
  }

  /** Checks a code or a recovery code of a sign-in. Throws `Failure` (`code-needed`, `wrong-code`). */
  async require(userName: string, code: string | undefined, address: string): Promise<void> {
    const stored = await this.#find(userName)
    if (stored?.isConfirmed !== true) return
    if (code === undefined || code.trim() === '')
      throw new Failure(
        'unauthenticated',
        'code-needed',
        'This user signs in with a one-time code: give "code"',
      )
    await this.#check(userName, stored, code, address)
  }

  /** Switches codes off. Returns true if they were on. */
  switchOff(userName: string): Promise<boolean> {
    return deleteTotp(this.#db, userName)
  }

  async #check(userName: string, stored: StoredTotp, code: string, address: string): Promise<void> {
    const { throttle } = this.#deps
    const account = `code of ${userName}`
    const seconds = await throttle.secondsToWait(address, account)
    if (seconds > 0)
      throw new Failure('tooMany', 'too-many-failures', `Too many failed logins: try again in ${seconds} s`, {
        retryAfterSeconds: seconds,
      })
    await throttle.attempt(address, account)
    const plain = code.replace(/[\s-]/g, '').toLowerCase()
    if (
      !(await this.#takeCode(userName, stored, plain)) &&
      !(await this.#takeRecoveryCode(userName, stored, plain))
    )
      throw new Failure(
        'unauthenticated',
        'wrong-code',
        'The one-time code is wrong, out of date or was used',
      )
    await throttle.succeed(address, account)
  }

  async #takeCode(userName: string, { secret }: StoredTotp, code: string): Promise<boolean> {
    if (!/^\d{6}$/.test(code)) return false
    const base32 = this.#deps.vault.open(secret, {
      what: `The secret of the one-time codes of "${userName}"`,
      remedy: 'delete the user and create the user again',
    })
    const timestamp = this.#deps.clock.now().getTime()
    const totp = await totpOf((await import('otpauth')).Secret.fromBase32(base32))
    const delta = totp.validate({ token: code, timestamp, window: 1 })
    if (delta === null) return false
    return takeStep(this.#db, userName, Math.floor(timestamp / 1000 / periodSeconds) + delta)
  }

  async #takeRecoveryCode(userName: string, { recoveryCodes }: StoredTotp, code: string): Promise<boolean> {
    const digest = digestSecret(code)
    if (!recoveryCodes.includes(digest)) return false
    const rest = recoveryCodes.filter((one) => one !== digest)
    return replaceRecoveryCodes(this.#db, userName, recoveryCodes, rest)
  }

  #find(userName: string): Promise<StoredTotp | undefined> {
    return findTotp(this.#db, userName)
  }

  get #db() {
    return this.#deps.database.kysely
  }
}

async function totpOf(secret: Secret, names: { issuer?: string; label?: string } = {}): Promise<TOTP> {
  const { TOTP: Totp } = await import('otpauth')
  return new Totp({ ...names, secret, algorithm: 'SHA1', digits: 6, period: periodSeconds })
}
