import { createHmac, randomBytes } from 'node:crypto'
import { md4 } from './md4.ts'

const signature = 'NTLMSSP\0'
/** Unicode, request target, NTLM, always sign, extended session security, target info, 128 bit. */
const flags = 0x20888205
/** Time between 1601 and 1970, in units of 100 ns. */
const epochShift = 116_444_736_000_000_000n
const targetInfoFlag = 0x800000
const timestampId = 7
const maxMessageBytes = 8192

export interface NtlmIdentity {
  username: string
  password: string
  domain: string
}

/** Returns the first message ([MS-NLMP] 2.2.1.1), in base64. */
export function ntlmNegotiate(): string {
  const message = Buffer.alloc(32)
  message.write(signature, 'latin1')
  message.writeUInt32LE(1, 8)
  message.writeUInt32LE(flags, 12)
  return message.toString('base64')
}

interface Challenge {
  nonce: Buffer
  targetInfo: Buffer
}

/** [MS-NLMP] 2.2.1.2; undefined if invalid. */
export function parseChallenge(base64: string): Challenge | undefined {
  const message = Buffer.from(base64.slice(0, maxMessageBytes), 'base64')
  const isChallenge =
    message.length >= 48 && message.toString('latin1', 0, 8) === signature && message.readUInt32LE(8) === 2
  if (!isChallenge) return undefined
  const nonce = message.subarray(24, 32)
  if ((message.readUInt32LE(20) & targetInfoFlag) === 0) return { nonce, targetInfo: Buffer.alloc(0) }
  const length = message.readUInt16LE(40)
  const offset = message.readUInt32LE(44)
  if (offset + length > message.length) return undefined
  return { nonce, targetInfo: message.subarray(offset, offset + length) }
}

/** Returns the server time from the target information (AV pairs, 2.2.2.1), which NTLMv2 uses if present. */
function timestampOf(targetInfo: Buffer): Buffer | undefined {
  for (let at = 0; at + 4 <= targetInfo.length; ) {
    const id = targetInfo.readUInt16LE(at)
    const length = targetInfo.readUInt16LE(at + 2)
    if (id === timestampId && length === 8) return targetInfo.subarray(at + 4, at + 12)
    at += 4 + length
  }
  return undefined
}

function timeNow(): Buffer {
  const time = Buffer.alloc(8)
  time.writeBigUInt64LE(BigInt(Date.now()) * 10_000n + epochShift)
  return time
}

function hmacMd5(key: Buffer, ...parts: Buffer[]): Buffer {
  return createHmac('md5', key).update(Buffer.concat(parts)).digest()
}

interface Responses {
  nt: Buffer
  lm: Buffer
}

/** NTLMv2 responses ([MS-NLMP] 3.3.2). */
export function ntlmResponses(
  identity: NtlmIdentity,
  { nonce, targetInfo }: Challenge,
  clientNonce: Buffer,
  time: Buffer,
): Responses {
  const wide = (text: string): Buffer => Buffer.from(text, 'utf16le')
  const key = hmacMd5(
    md4(wide(identity.password)),
    wide(identity.username.toUpperCase()),
    wide(identity.domain),
  )
  const blob = Buffer.concat([
    Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]),
    time,
    clientNonce,
    Buffer.alloc(4),
    targetInfo,
    Buffer.alloc(4),
  ])
  return {
    nt: Buffer.concat([hmacMd5(key, nonce, blob), blob]),
    lm: Buffer.concat([hmacMd5(key, nonce, clientNonce), clientNonce]),
  }
}

/**
 * Returns the response to a challenge ([MS-NLMP] 2.2.1.3), in base64; undefined if the challenge is invalid.
 */
export function ntlmAuthenticate(identity: NtlmIdentity, challengeBase64: string): string | undefined {
  const challenge = parseChallenge(challengeBase64)
  if (challenge === undefined) return undefined
  const serverTime = timestampOf(challenge.targetInfo)
  const { nt, lm } = ntlmResponses(identity, challenge, randomBytes(8), serverTime ?? timeNow())
  const texts = [identity.domain, identity.username, 'TERRANE'].map((text) => Buffer.from(text, 'utf16le'))
  const [domain = Buffer.alloc(0), user = Buffer.alloc(0), host = Buffer.alloc(0)] = texts
  // With a server time the LM response is 24 zero bytes (3.1.5.1.2).
  const parts = [serverTime === undefined ? lm : Buffer.alloc(24), nt, domain, user, host, Buffer.alloc(0)]
  const header = Buffer.alloc(64)
  header.write(signature, 'latin1')
  header.writeUInt32LE(3, 8)
  let offset = header.length
  for (const [index, part] of parts.entries()) {
    header.writeUInt16LE(part.length, 12 + index * 8)
    header.writeUInt16LE(part.length, 14 + index * 8)
    header.writeUInt32LE(offset, 16 + index * 8)
    offset += part.length
  }
  header.writeUInt32LE(flags, 60)
  return Buffer.concat([header, ...parts]).toString('base64')
}
