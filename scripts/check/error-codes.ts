import type { Argument, Expression, Node } from 'oxc-parser'
import type { SourceFile } from './imports.ts'
import { lineAt, syntaxOf, walk } from './syntax.ts'

type Text = Pick<SourceFile, 'path' | 'text'>

/** Code of failures, with everything that the sources contain about it. */
export interface ErrorCode {
  code: string
  /** HTTP statuses of the responses with this code. */
  statuses: Set<number>
  /** Messages that the program uses with this code, with `…` in place of inserted values. */
  says: Set<string>
}

export interface FoundCodes {
  codes: Map<string, ErrorCode>
  /** Places that make a failure whose code cannot be read off the source. */
  problems: string[]
}

/** A failure that is made somewhere: the expressions of its kind, code and message. */
interface Made {
  kinds: string[]
  code: Node | undefined
  message: Node | undefined
}

const makers = ['invalid', 'notFound', 'conflict']
/** Their code is set where the class is made, and by default. */
const errorsOfData: Record<string, { at: number; byDefault: string }> = {
  FormatError: { at: 0, byDefault: 'bad-file' },
  TransformError: { at: 1, byDefault: 'invalid-transform' },
}

/** Every code of a failure in `src/`. A code is written out where the failure is made, or is a constant. */
export function findErrorCodes(files: Text[]): FoundCodes {
  const program = files.filter(({ path }) => /^src\/.*(?<!\.test)\.ts$/.test(path))
  const statusOf = readStatuses(program)
  const constants = readConstants(program)
  const found: FoundCodes = { codes: new Map(), problems: [] }
  for (const file of program) {
    if (file.path === 'src/core/errors/errors.ts') continue
    walk(syntaxOf(file).program, (node, around) => {
      for (const { kinds, code, message } of madeBy(node)) {
        if (isPassedOn(code)) continue
        const names = textsOf(code, constants, file)
        if (names.length === 0) {
          const place = `${file.path}:${lineAt(file.text, node.start)}`
          found.problems.push(`${place} makes a failure whose code is not written out`)
        }
        const statuses = kinds.flatMap((kind) => statusOf.get(kind) ?? [])
        for (const name of names) add(found.codes, name, statuses, messagesBy(message, around))
      }
    })
  }
  // Codes without a message of our own: a library reports these errors of the request.
  for (const { statuses } of found.codes.values()) if (statuses.size === 0) statuses.add(400)
  return found
}

function add(
  codes: Map<string, ErrorCode>,
  code: string,
  statuses: number[],
  output: string | undefined,
): void {
  const known = codes.get(code) ?? { code, statuses: new Set(), says: new Set() }
  codes.set(code, known)
  for (const status of statuses) known.statuses.add(status)
  if (output !== undefined) known.says.add(output)
}

function madeBy(node: Node): Made[] {
  if (node.type === 'CallExpression') return madeByCall(node.callee, node.arguments)
  if (node.type === 'NewExpression' && node.callee.type === 'Identifier')
    return madeByNew(node.callee.name, node.arguments)
  return node.type === 'ObjectExpression' ? madeByTable(node) : []
}

function madeByCall(callee: Expression, [first, second, third]: Argument[]): Made[] {
  if (callee.type === 'Identifier' && makers.includes(callee.name))
    return [{ kinds: [callee.name], code: first, message: second }]
  const isKind = first?.type === 'Literal' && typeof first.value === 'string'
  return callee.type === 'Super' && isKind && second !== undefined && third !== undefined
    ? [{ kinds: [String(first.value)], code: second, message: third }]
    : []
}

function madeByNew(name: string, args: Argument[]): Made[] {
  const [first, second, third] = args
  if (name === 'Failure')
    return [{ kinds: first === undefined ? [] : kindsOf(first), code: second, message: third }]
  if (name === 'FieldFailure') {
    const [kind, code] = [propertyOf(second, 'kind'), propertyOf(second, 'code')]
    const kinds = kind === undefined ? ['invalid'] : kindsOf(kind)
    return [{ kinds, code: code ?? literal('invalid-fields'), message: undefined }]
  }
  const ofData = Object.hasOwn(errorsOfData, name) ? errorsOfData[name] : undefined
  if (ofData === undefined) return []
  const code = ofData.at === 1 ? second : propertyOf(second, 'code')
  return [{ kinds: ['invalid'], code: code ?? literal(ofData.byDefault), message: first }]
}

/** Reads an entry of a table, or a problem that is sent unchanged: `{ kind | status, code, … }`. */
function madeByTable(node: Node): Made[] {
  const [kind, status, code] = [
    propertyOf(node, 'kind'),
    propertyOf(node, 'status'),
    propertyOf(node, 'code'),
  ]
  if (code === undefined) return []
  const message = propertyOf(node, 'text') ?? propertyOf(node, 'detail')
  if (status?.type === 'Literal') return [{ kinds: [String(status.value)], code, message }]
  // A library's own failure.
  if (status?.type === 'Identifier' && code.type === 'LogicalExpression')
    return [{ kinds: [], code, message: undefined }]
  return kind === undefined || code.type !== 'Literal' ? [] : [{ kinds: kindsOf(kind), code, message }]
}

/** `a` or, of a choice, both `a` and `b`. */
function kindsOf(node: Node): string[] {
  if (node.type === 'ConditionalExpression') return [...kindsOf(node.consequent), ...kindsOf(node.alternate)]
  return node.type === 'Literal' ? [String(node.value)] : []
}

/**
 * Returns true for the code of a caught failure, or for a code that a function for creating failures received
 * as a parameter.
 */
function isPassedOn(code: Node | undefined): boolean {
  return (
    code?.type === 'MemberExpression' && code.property.type === 'Identifier' && code.property.name === 'code'
  )
}

/**
 * Returns the possible values of a code: a literal, a constant, or the entries of a table in the same file,
 * with their placeholders.
 */
function textsOf(node: Node | undefined, constants: Map<string, string>, file: Text): string[] {
  if (node?.type === 'Literal') return [String(node.value)]
  if (node?.type === 'Identifier') return [constants.get(node.name) ?? []].flat()
  if (node?.type === 'LogicalExpression')
    return [...textsOf(node.left, constants, file), ...textsOf(node.right, constants, file)]
  if (node?.type === 'CallExpression') return tableValues(node.arguments[0], file)
  return node?.type === 'MemberExpression' ? tableValues(node.object, file) : []
}

function tableValues(table: Node | undefined, { text }: Text): string[] {
  if (table?.type !== 'Identifier') return []
  const body = new RegExp(`const ${table.name}\\b[^=]*= \\{([^}]*)\\}`).exec(text)?.[1] ?? ''
  return [...body.matchAll(/: '([a-z0-9-]+)'/g)].map(([, value = '']) => value)
}

function propertyOf(object: Node | undefined, key: string): Node | undefined {
  if (object?.type !== 'ObjectExpression') return undefined
  for (const property of object.properties) {
    if (property.type !== 'Property' || property.key.type !== 'Identifier') continue
    if (property.key.name === key) return property.value
  }
  return undefined
}

function literal(value: string): Node {
  return { type: 'Literal', value, raw: `'${value}'`, start: 0, end: 0 }
}

/** Constants that hold a text. */
function readConstants(files: Text[]): Map<string, string> {
  const constants = new Map<string, string>()
  for (const { text } of files)
    for (const [, name = '', value = ''] of text.matchAll(/^(?:export )?const (\w+) = '([a-z0-9-]+)'$/gm))
      constants.set(name, value)
  return constants
}

/** Reads the table from kinds of failure to statuses; a status maps to itself. */
function readStatuses(files: Text[]): Map<string, number> {
  const text = files.find(({ path }) => path === 'src/api/errors.ts')?.text ?? ''
  const table = /Record<FailureKind, number> = \{([^}]*)\}/.exec(text)?.[1] ?? ''
  const kinds = [...table.matchAll(/(\w+): (\d{3})/g)].map(
    ([, kind = '', status]) => [kind, Number(status)] as const,
  )
  const plain = [400, 404, 405, 409, 500, 503].map((status) => [String(status), status] as const)
  return new Map([...kinds, ...plain])
}

/** A message as a text with `…` for what is put in. */
function messagesBy(node: Node | undefined, around: Node[]): string | undefined {
  if (node === undefined) return undefined
  if (node.type === 'Literal') return String(node.value)
  if (node.type === 'TemplateLiteral')
    return node.quasis.map(({ value }) => value.cooked ?? value.raw).join('…')
  if (node.type === 'BinaryExpression') {
    const [left, right] = [messagesBy(node.left, around), messagesBy(node.right, around)]
    return left === undefined || right === undefined ? undefined : left + right
  }
  return node.type === 'Identifier' ? messagesByConstant(node.name, around) : undefined
}

/** Returns the text of a constant declared in a surrounding block. */
function messagesByConstant(name: string, around: Node[]): string | undefined {
  for (const block of around.toReversed()) {
    if (block.type !== 'BlockStatement' && block.type !== 'Program') continue
    for (const statement of block.body) {
      if (statement.type !== 'VariableDeclaration') continue
      for (const { id, init } of statement.declarations)
        if (id.type === 'Identifier' && id.name === name && init !== null) return messagesBy(init, around)
    }
  }
  return undefined
}
