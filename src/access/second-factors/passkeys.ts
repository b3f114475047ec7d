import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Database } from '../../core/db/connection.ts'
import { conflict, Failure, invalid } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeys,
  type Passkey,
  usePasskey,
} from './passkey-repository.ts'

const maxPasskeys = 20

/** Takes 0.3 s of CPU time to load, and is needed only for passkeys. */
const webAuthn = () => import('@simplewebauthn/server')

/** The site for which passkeys are good. */
interface PasskeySite {
  /** Such as `https://maps.example.org`. */
  origin: string
  /** Its host name. */
  id: string
}

/** Passkeys (WebAuthn) of local accounts. A passkey with user verification replaces password and code. */
export class Passkeys {
  readonly #database: Database
  readonly #clock: Clock

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.#database = database
    this.#clock = clock
  }

  /** Lists the passkeys of a user, oldest first. */
  list(userName: string): Promise<Passkey[]> {
    return listPasskeys(this.#database.kysely, userName)
  }

  /** Returns options for a new passkey; `challenge` is needed again for `register`. */
  async registrationOptions(
    userName: string,
    site: PasskeySite,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const existing = await this.list(userName)
    if (existing.length >= maxPasskeys)
      throw conflict('too-many-passkeys', `A user has at most ${maxPasskeys} passkeys: delete one first`)
    return (await webAuthn()).generateRegistrationOptions({
      rpName: 'Terrane',
      rpID: site.id,
      userName,
      userID: new TextEncoder().encode(userName),
      excludeCredentials: existing.map(({ id }) => ({ id })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
  }

  /** Stores a passkey. Throws `Failure` (`wrong-passkey`) if the response does not hold. */
  async register(
    userName: string,
    { caption, response, challenge }: { caption: string; response: unknown; challenge: string },
    site: PasskeySite,
  ): Promise<Passkey> {
    const { registrationInfo } = await (await webAuthn())
      .verifyRegistrationResponse({
        response: response as RegistrationResponseJSON,
        expectedChallenge: challenge,
        expectedOrigin: site.origin,
        expectedRPID: site.id,
        requireUserVerification: true,
      })
      .catch((error: unknown) => refuse(error, 'invalid'))
    if (registrationInfo === undefined) throw invalid('wrong-passkey', 'The passkey could not be verified')
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential
    const passkey: Passkey = {
      id,
      userName,
      caption,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports,
      createdAt: this.#clock.now().toISOString(),
      lastUsedAt: undefined,
    }
    if (!(await insertPasskey(this.#database.kysely, passkey)))
      throw conflict('passkey-exists', 'This passkey is registered already')
    return passkey
  }

  /** Returns options for a sign-in; the browser offers the passkeys of the site. */
  async signInOptions(site: PasskeySite): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return (await webAuthn()).generateAuthenticationOptions({ rpID: site.id, userVerification: 'required' })
  }

  /** Returns the name of the user who signed the challenge. Throws `Failure` (`wrong-passkey`). */
  async verify(
    { response, challenge }: { response: unknown; challenge: string },
    site: PasskeySite,
  ): Promise<string> {
    const given = response as AuthenticationResponseJSON
    const found =
      typeof given?.id === 'string' ? await findPasskey(this.#database.kysely, given.id) : undefined
    if (found === undefined) throw wrongPasskey('it is not known here')
    const { verified, authenticationInfo } = await (await webAuthn())
      .verifyAuthenticationResponse({
        response: given,
        expectedChallenge: challenge,
        expectedOrigin: site.origin,
        expectedRPID: site.id,
        requireUserVerification: true,
        credential: {
          id: found.id,
          publicKey: Buffer.from(found.publicKey, 'base64url'),
          counter: found.counter,
          transports: found.transports as AuthenticatorTransport[],
        },
      })
      .catch((error: unknown) => refuse(error, 'unauthenticated'))
    if (!verified) throw wrongPasskey('its signature does not hold')
    const at = this.#clock.now().toISOString()
    await usePasskey(this.#database.kysely, found.id, { counter: authenticationInfo.newCounter, at })
    return found.userName
  }

  /** Returns true if the user had this passkey. */
  delete(userName: string, id: string): Promise<boolean> {
    return deletePasskey(this.#database.kysely, userName, id)
  }
}

function wrongPasskey(reason: string): Failure {
  return new Failure('unauthenticated', 'wrong-passkey', `The passkey is refused: ${reason}`)
}

function refuse(error: unknown, kind: 'invalid' | 'unauthenticated'): never {
  const reason = error instanceof Error ? error.message : String(error)
  throw new Failure(kind, 'wrong-passkey', `The passkey is refused: ${reason.slice(0, 300)}`, {
    cause: error,
  })
}
