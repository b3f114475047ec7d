import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  basicFor,
  digestAuthorization,
  isDomainUser,
  nextAuthorization,
  parseChallenges,
} from './http-auth.ts'
import { md4 } from './md4.ts'
import { ntlmAuthenticate, ntlmNegotiate, ntlmResponses, parseChallenge } from './ntlm.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

describe('md4', () => {
  for (const [text, digest] of [
    ['', '31d6cfe0d16ae931b73c59d7e0c089c0'],
    ['abc', 'a448017aaf21d8525fc10ae87aa6729d'],
    ['abcdefghijklmnopqrstuvwxyz', 'd79e1c308aa5bbcdeea8ed63df412da9'],
    [
      '12345678901234567890123456789012345678901234567890123456789012345678901234567890',
      'e33b4ddc9c38f2199c3e7b164fcc0536',
    ],
  ] as const) {
    it(`of ${text.length} characters is that of RFC 1320`, () => {
      assert.equal(md4(Buffer.from(text)).toString('hex'), digest)
    })
  }
})

const targetInfo = hex('02000c0044006f006d00610069006e00 01000c00530065007200760065007200 00000000')
const challengeMessage = (info: Buffer): string => {
  const head = Buffer.alloc(56)
  head.write('NTLMSSP\0', 'latin1')
  head.writeUInt32LE(2, 8)
  head.writeUInt32LE(0xe28a8233, 20)
  hex('0123456789abcdef').copy(head, 24)
  head.writeUInt16LE(info.length, 40)
  head.writeUInt16LE(info.length, 42)
  head.writeUInt32LE(56, 44)
  return Buffer.concat([head, info]).toString('base64')
}

describe('NTLM', () => {
  const identity = { username: 'User', password: 'Password', domain: 'Domain' }

  it('answers as the example of [MS-NLMP] 4.2.4 does', () => {
    const challenge = { nonce: hex('0123456789abcdef'), targetInfo }
    const { nt, lm } = ntlmResponses(identity, challenge, Buffer.alloc(8, 0xaa), Buffer.alloc(8))
    assert.equal(nt.toString('hex', 0, 16), '68cd0ab851e51c96aabc927bebef6a1c')
    assert.equal(lm.toString('hex'), '86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa')
  })

  it('builds a third message whose parts lie where its header says', () => {
    const message = Buffer.from(ntlmAuthenticate(identity, challengeMessage(targetInfo)) ?? '', 'base64')
    const part = (at: number): Buffer => {
      const offset = message.readUInt32LE(at + 4)
      return message.subarray(offset, offset + message.readUInt16LE(at))
    }
    assert.equal(part(28).toString('utf16le'), 'Domain')
    assert.equal(part(36).toString('utf16le'), 'User')
    const key = hex('0c868a403bfd7a93a3001ef22ef02e3f')
    const [proof, blob] = [part(20).subarray(0, 16), part(20).subarray(16)]
    const expected = createHmac('md5', key).update(hex('0123456789abcdef')).update(blob).digest()
    assert.deepEqual(proof, expected)
    assert.ok(blob.includes(targetInfo))
  })

  it("takes the server's time where it is given", () => {
    const timed = Buffer.concat([hex('07000800 1122334455667788'), targetInfo])
    const message = Buffer.from(ntlmAuthenticate(identity, challengeMessage(timed)) ?? '', 'base64')
    assert.ok(message.includes(hex('0101000000000000 1122334455667788')))
  })

  it('does not stumble over any bytes for a challenge', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(119), fc.nat(255), (bytes, at, value) => {
        parseChallenge(Buffer.from(bytes).toString('base64'))
        const damaged = Buffer.from(challengeMessage(targetInfo), 'base64')
        damaged[at % damaged.length] = value
        ntlmAuthenticate(identity, damaged.toString('base64'))
      }),
    )
  })
})

describe('Digest', () => {
  const user = { username: 'Mufasa', password: 'Circle of Life' }
  const request = { method: 'GET', target: '/dir/index.html' }
  const challenge = (algorithm: string): string =>
    `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, ` +
    'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
  const clientNonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ'

  for (const [algorithm, response] of [
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ] as const) {
    it(`with ${algorithm} answers as the example of RFC 7616 does`, () => {
      const [parsed] = parseChallenges(challenge(algorithm))
      assert.ok(parsed !== undefined)
      const answer = digestAuthorization(user, parsed, request, clientNonce)
      assert.ok(answer?.includes(`response="${response}"`), answer)
    })
  }

  it('is not answered where only what is not known is offered', () => {
    for (const text of [
      'Digest nonce="x", qop="auth-int"',
      'Digest nonce="x", algorithm=X',
      'Digest realm="x"',
    ]) {
      const [parsed] = parseChallenges(text)
      assert.ok(parsed !== undefined)
      assert.equal(digestAuthorization(user, parsed, request), undefined)
    }
  })
})

describe('the next authorization', () => {
  const request = { method: 'GET', target: '/' }
  const user = { username: 'u', password: 'p' }
  const domainUser = { ...user, domain: 'D' }
  const all = parseChallenges('Negotiate, NTLM, Digest realm="a, Basic b", nonce="n", Basic realm="c"')

  it('finds each challenge in one header', () => {
    assert.deepEqual(
      all.map((one) => one.scheme),
      ['negotiate', 'ntlm', 'digest', 'basic'],
    )
  })

  it('is NTLM for the user of a domain, and its answer to the challenge', () => {
    assert.ok(isDomainUser(domainUser) && isDomainUser({ username: 'D\\u' }) && !isDomainUser(user))
    const first = nextAuthorization(domainUser, all, request, undefined)
    assert.equal(first, `NTLM ${ntlmNegotiate()}`)
    const second = parseChallenges(`NTLM ${challengeMessage(targetInfo)}`)
    assert.match(nextAuthorization(domainUser, second, request, first) ?? '', /^NTLM /)
  })

  it('goes from Basic to Digest, and gives up after that', () => {
    const digest = nextAuthorization(user, all, request, basicFor(user))
    assert.match(digest ?? '', /^Digest /)
    assert.equal(nextAuthorization(user, all, request, digest), undefined)
  })

  it('puts the domain before the name where the server knows Basic alone', () => {
    const basic = nextAuthorization(domainUser, parseChallenges('Basic realm="x"'), request, undefined)
    assert.equal(basic, `Basic ${Buffer.from('D\\u:p').toString('base64')}`)
  })

  it('reads any header in time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        nextAuthorization(domainUser, parseChallenges(text), request, undefined)
      }),
    )
    parseChallenges(`Digest ${'a="'.repeat(5000)}`)
    parseChallenges(`Digest ${'a'.repeat(15_000)}`)
  })
})
