import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findErrorCodes } from './error-codes.ts'
import { errorPageProblems, publicCodeProblems, writeErrorPage } from './error-page.ts'

const statuses =
  'const statusOfKind: Record<FailureKind, number> = {\n  invalid: 400,\n  notFound: 404,\n  conflict: 409,\n}'
const found = (text: string) =>
  findErrorCodes([
    { path: 'src/catalog/x.ts', text },
    { path: 'src/api/errors.ts', text: statuses },
  ])
const reported = (text: string): string[] =>
  [...found(text).codes.values()].map(
    ({ code, statuses: all, says }) => `${code} ${[...all].join()} ${[...says].join()}`,
  )

describe('findErrorCodes', () => {
  it('reads code, status and message where a failure is made', () => {
    assert.deepEqual(reported(`throw invalid('no-name', \`Layer "$\{name}" has no name\`)`), [
      'no-name 400 Layer "…" has no name',
    ])
    assert.deepEqual(reported("throw new Failure('conflict', 'in-use', 'It is ' + 'used')"), [
      'in-use 409 It is used',
    ])
    assert.deepEqual(reported("const message = 'Not there'\nthrow notFound('unknown-a', message)"), [
      'unknown-a 404 Not there',
    ])
  })

  it('reads constants, tables, classes of failures and codes by default', () => {
    assert.deepEqual(reported("const gone = 'file-gone'\nthrow notFound(gone, 'Gone')"), [
      'file-gone 404 Gone',
    ])
    assert.deepEqual(reported("const codes = { a: 'no-a', b: 'no-b' }\nthrow invalid(codes[what], 'No')"), [
      'no-a 400 No',
      'no-b 400 No',
    ])
    assert.deepEqual(reported("const causes = { 5: { kind: 'conflict', code: 'busy', text: 'is busy' } }"), [
      'busy 409 is busy',
    ])
    assert.deepEqual(
      reported("class A extends Failure { constructor() { super('invalid', 'bad-a', 'Bad') } }"),
      ['bad-a 400 Bad'],
    )
    assert.deepEqual(reported("throw new FormatError('Short', { code: 'truncated' })"), [
      'truncated 400 Short',
    ])
    assert.deepEqual(reported("throw new FormatError('Odd')"), ['bad-file 400 Odd'])
  })

  it('refuses a code that is put together, and lets one be passed on', () => {
    assert.deepEqual(found('throw notFound("unknown-" + what, "No")').problems, [
      'src/catalog/x.ts:1 makes a failure whose code is not written out',
    ])
    assert.deepEqual(found('throw invalid(error.code, error.message)').problems, [])
  })
})

describe('errorPageProblems', () => {
  const { codes } = found("invalid('a-code', 'A')\nnotFound('b-code', 'B')")
  const head = '# Errors\n\n| code |'
  const page = writeErrorPage(
    writeErrorPage(head, codes.values()).replace('A |  |', 'A | Mend it. |'),
    codes.values(),
  )

  it('keeps what to do, and wants it for every code', () => {
    assert.ok(page.includes('| `a-code` | 400 | A | Mend it. |'))
    assert.deepEqual(errorPageProblems(page, codes), [
      'docs/errors.md does not tell what to do about b-code: write it there',
    ])
  })

  it('refuses a page that is not as the sources are', () => {
    const whole = page.replace('B |  |', 'B | Look. |')
    assert.deepEqual(errorPageProblems(whole, codes), [])
    assert.match(errorPageProblems(whole.replace('404', '400'), codes).join(), /out of date/)
  })

  it('refuses public codes that are renamed, removed or not listed', () => {
    assert.deepEqual(publicCodeProblems('a-code\nb-code\n', codes), [])
    assert.match(publicCodeProblems('a-code\nb-code\nc-code\n', codes).join(), /c-code, which nothing says/)
    assert.match(publicCodeProblems('a-code\n', codes).join(), /lacks the new code b-code/)
  })
})
