import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { until } from '../../../tests/support/until.ts'
import { findProgram, openProgram, ProgramError, runProgram, streamProgram } from './process.ts'

function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/stat`
  return existsSync(status) && !/\) Z /.test(readFileSync(status, 'utf8'))
}

describe('runProgram', () => {
  it('gives standard output and takes standard input', async () => {
    const { stdout } = await runProgram('cat', [], { stdin: 'grüß' })
    assert.equal(stdout.toString('utf8'), 'grüß')
  })

  it('passes arguments as they are, without a shell', async () => {
    const { stdout } = await runProgram('printf', ['%s', '$(touch x); `y` "z"'])
    assert.equal(stdout.toString('utf8'), '$(touch x); `y` "z"')
  })

  it('starts programs with a minimal environment', async () => {
    const { stdout } = await runProgram('env', [], { env: { EXTRA: '1' } })
    const names = stdout
      .toString('utf8')
      .split('\n')
      .map((line) => line.split('=')[0])
    assert.ok(names.includes('EXTRA') && names.includes('PATH'))
    assert.ok(!names.includes('NODE_TEST_CONTEXT'))
  })

  it('tells exit code and the last words of a program that fails', async () => {
    await assert.rejects(runProgram('sh', ['-c', 'echo broken >&2; exit 3']), (error) => {
      assert.ok(error instanceof ProgramError)
      assert.equal(error.exitCode, 3)
      assert.equal(error.stderr, 'broken\n')
      return true
    })
  })

  it('keeps the end of a long standard error', async () => {
    const { stderr } = await runProgram('sh', ['-c', 'yes x | head -c 100000 >&2; echo end >&2'])
    assert.ok(stderr.length <= 16 << 10 && stderr.endsWith('end\n'))
  })

  it('says when a program is not installed', async () => {
    await assert.rejects(runProgram('no-such-program-here', []), { reason: 'not-found' })
  })

  it('ends a program that takes too long, with what it started', async () => {
    const run = runProgram('sh', ['-c', 'sleep 100000 & echo $! >&2; wait'], { timeoutMs: 200 })
    const error = await run.then(
      () => undefined,
      (cause: unknown) => cause,
    )
    assert.ok(error instanceof ProgramError && error.reason === 'timed-out')
    await until(() => !isRunning(Number(error.stderr)))
  })

  it('ends a program that does not listen to requests', async () => {
    const run = runProgram('sh', ['-c', 'trap "" TERM; while :; do sleep 0.1; done'], { timeoutMs: 100 })
    await assert.rejects(run, { reason: 'timed-out' })
  })

  it('throws the reason of an abort', async () => {
    const reason = new Error('enough')
    const signal = AbortSignal.abort(reason)
    await assert.rejects(runProgram('sleep', ['30'], { signal }), reason)
    const controller = new AbortController()
    const run = runProgram('sleep', ['30'], { signal: controller.signal })
    setTimeout(() => controller.abort(reason), 50)
    await assert.rejects(run, reason)
  })

  it('bounds the output', async () => {
    await assert.rejects(runProgram('yes', [], { maxOutputBytes: 1000 }), { reason: 'output-too-large' })
  })
})

describe('streamProgram', () => {
  it('waits for a slow reader instead of gathering the output', async () => {
    let bytes = 0
    for await (const chunk of streamProgram('head', ['-c', '5000000', '/dev/zero'])) {
      bytes += chunk.length
      assert.ok(chunk.length <= 1 << 20)
    }
    assert.equal(bytes, 5_000_000)
  })

  it('ends the program when the reader stops early', async () => {
    let pid = 0
    for await (const chunk of streamProgram('sh', ['-c', 'echo $$; exec yes'])) {
      pid = Number(Buffer.from(chunk).toString('latin1').split('\n')[0])
      break
    }
    assert.ok(pid > 0)
    await until(() => !isRunning(pid))
  })

  it('throws when the program fails behind its output', async () => {
    const read = async (): Promise<void> => {
      for await (const _ of streamProgram('sh', ['-c', 'echo some; exit 1']));
    }
    await assert.rejects(read(), { exitCode: 1 })
  })
})

describe('openProgram', () => {
  it('talks with a program and ends it', async () => {
    const session = openProgram('cat', [])
    await session.write('ping\n')
    const { value } = await session.stdout.next()
    assert.equal(Buffer.from(value as Uint8Array).toString('latin1'), 'ping\n')
    await session.close()
  })
})

describe('findProgram', () => {
  it('finds what is on the PATH alone', async () => {
    assert.match((await findProgram('sh')) ?? '', /\/sh$/)
    assert.equal(await findProgram('no-such-program-here'), undefined)
  })
})
