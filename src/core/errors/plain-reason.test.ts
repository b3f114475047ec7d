import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { explain, Failure } from './errors.ts'
import { plainReason } from './plain-reason.ts'

async function refused(): Promise<unknown> {
  const socket = connect(1, '127.0.0.1')
  return new Promise((resolve) => socket.once('error', resolve))
}

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return assert.fail('nothing was thrown')
}

describe('plainReason', () => {
  it('puts what the system says into plain words, with the file', async () => {
    assert.equal(plainReason(await refused()), 'nothing listens at the address')
    const error = thrownBy(() => readFileSync('/nowhere/at/all'))
    assert.equal(plainReason(error), '/nowhere/at/all: there is no such file or folder')
    assert.equal(
      plainReason(new Error('connect ECONNREFUSED 127.0.0.1:25')),
      'nothing listens at the address',
    )
  })

  it('puts what SQLite says into plain words', () => {
    const error = thrownBy(() => new DatabaseSync('/nowhere/at/all.sqlite'))
    assert.equal(plainReason(error), 'the file cannot be opened')
  })

  it('puts what PostgreSQL and its client say of a lost server into plain words', () => {
    const coded = (code: string): Error => Object.assign(new Error('terminating'), { code })
    assert.equal(plainReason(coded('57P01')), 'an administrator ended the connection to the database')
    assert.equal(plainReason(coded('08006')), 'the connection to the database broke off')
    assert.equal(
      plainReason(new Error('Connection terminated unexpectedly')),
      'the connection to the database broke off',
    )
  })

  it('leaves alone what speaks for itself', () => {
    assert.equal(plainReason(new Error('Field "pop" is not numeric')), undefined)
    assert.equal(plainReason(Object.assign(new Error('division by zero'), { code: '22012' })), undefined)
  })
})

describe('explain', () => {
  it('tells the message of a failure without what a driver said below it', async () => {
    const failure = new Failure('unavailable', 'x', 'Nothing listens on h port 1', { cause: await refused() })
    assert.equal(explain(failure), 'Nothing listens on h port 1')
    assert.equal(
      explain(new Error('The layer cannot be read', { cause: await refused() })),
      'The layer cannot be read\nnothing listens at the address',
    )
  })
})
