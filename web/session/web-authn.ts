// WebAuthn in the browser: the server sends and takes options and responses as JSON (WebAuthn Level 3).

interface Described {
  id: string
  type?: string
  transports?: string[]
}

/** Options of the server; members that are not bytes are passed to the browser unchanged. */
export interface PasskeyOptions {
  challenge: string
  user?: { id: string }
  excludeCredentials?: Described[]
  allowCredentials?: Described[]
}

/** Creates a passkey. Returns the response for the server. */
export async function createPasskey(options: PasskeyOptions): Promise<unknown> {
  const { user, excludeCredentials = [], challenge, ...rest } = options
  const publicKey = {
    ...rest,
    challenge: toBytes(challenge),
    user: { ...user, id: toBytes(user?.id ?? '') },
    excludeCredentials: excludeCredentials.map(toDescriptor),
  } as unknown as PublicKeyCredentialCreationOptions
  const created = await navigator.credentials.create({ publicKey })
  const { response, ...passkey } = checked(created)
  if (!(response instanceof AuthenticatorAttestationResponse)) throw new TypeError('no attestation')
  return {
    ...passkey,
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      attestationObject: toText(response.attestationObject),
      transports: response.getTransports(),
    },
  }
}

/** Asks for a passkey of this site. Returns the response for the server. */
export async function findPasskey(options: PasskeyOptions): Promise<unknown> {
  const { allowCredentials = [], challenge, ...rest } = options
  const publicKey = {
    ...rest,
    challenge: toBytes(challenge),
    allowCredentials: allowCredentials.map(toDescriptor),
  } as unknown as PublicKeyCredentialRequestOptions
  const found = await navigator.credentials.get({ publicKey })
  const { response, ...passkey } = checked(found)
  if (!(response instanceof AuthenticatorAssertionResponse)) throw new TypeError('no assertion')
  const { userHandle } = response
  return {
    ...passkey,
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      authenticatorData: toText(response.authenticatorData),
      signature: toText(response.signature),
      userHandle: userHandle === null ? undefined : toText(userHandle),
    },
  }
}

function checked(credential: Credential | null) {
  if (!(credential instanceof PublicKeyCredential)) throw new TypeError('no passkey')
  const { id, rawId, type, authenticatorAttachment, response } = credential
  return {
    id,
    rawId: toText(rawId),
    type,
    authenticatorAttachment: authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
    response,
  }
}

function toDescriptor({ id, ...rest }: Described) {
  return { type: 'public-key', ...rest, id: toBytes(id) }
}

function toBytes(base64url: string): Uint8Array {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

function toText(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
