import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPasswords } from './passwords.ts'

const cost = { logN: 4, r: 8, p: 1 }

describe('passwords', () => {
  it('verifies the right password and no other', async () => {
    const passwords = createPasswords(cost)
    const hash = await passwords.hash('correct horse')
    assert.match(hash, /^scrypt\$4\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    assert.equal(await passwords.verify('correct horse', hash), true)
    assert.equal(await passwords.verify('correct horsf', hash), false)
  })

  it('gives two equal passwords different hashes', async () => {
    const passwords = createPasswords(cost)
    assert.notEqual(await passwords.hash('same'), await passwords.hash('same'))
  })

  it('is false for a user who does not exist, and for a hash it does not understand', async () => {
    const passwords = createPasswords(cost)
    assert.equal(await passwords.verify('any', undefined), false)
    assert.equal(await passwords.verify('any', 'md5$x'), false)
  })

  it('takes the same letters typed in another normal form', async () => {
    const passwords = createPasswords(cost)
    assert.equal(await passwords.verify('pass\u0065\u0301', await passwords.hash('pass\u00e9')), true)
  })

  it('remembers a verified password until its hash changes', async () => {
    const passwords = createPasswords(cost)
    const hash = await passwords.hash('first')
    assert.equal(passwords.isKnown('first', hash), false)
    await passwords.verify('first', hash)
    assert.equal(passwords.isKnown('first', hash), true)
    assert.equal(passwords.isKnown('second', hash), false)
    assert.equal(passwords.isKnown('first', await passwords.hash('second')), false)
  })

  it('answers the same question asked at once only once, and takes turns over the rest', async () => {
    const passwords = createPasswords(cost)
    const hash = await passwords.hash('right')
    const same = passwords.verify('right', hash)
    assert.equal(passwords.isInFlight('right', hash), true)
    const others = Array.from({ length: 50 }, (_, index) => passwords.verify(`wrong ${index}`, hash))
    assert.deepEqual(await Promise.all([same, passwords.verify('right', hash)]), [true, true])
    assert.ok((await Promise.all(others)).every((isRight) => !isRight))
  })
})
