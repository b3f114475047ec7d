import { type Comment, type Node, type Program, parseSync, visitorKeys } from 'oxc-parser'
import type { SourceFile } from './imports.ts'

/** A source file as a tree of its syntax. */
export interface Syntax {
  path: string
  text: string
  program: Program
  comments: Comment[]
}

type Text = Pick<SourceFile, 'path' | 'text'>

const parsed = new WeakMap<Text, Syntax>()

/** The tree of a file, which several rules read and which is made once. */
export function syntaxOf(file: Text): Syntax {
  const known = parsed.get(file)
  if (known !== undefined) return known
  const { program, comments, errors } = parseSync(file.path, file.text)
  if (errors[0] !== undefined) throw new Error(`${file.path} cannot be read: ${errors[0].message}`)
  const syntax = { path: file.path, text: file.text, program, comments }
  parsed.set(file, syntax)
  return syntax
}

/** Calls `visit` with each node of a tree and the nodes around it, the nearest last. */
export function walk(node: Node, visit: (node: Node, around: Node[]) => void, around: Node[] = []): void {
  visit(node, around)
  around.push(node)
  for (const key of visitorKeys[node.type] ?? []) {
    const child: unknown = Reflect.get(node, key)
    for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) walk(one, visit, around)
  }
  around.pop()
}

/** The line, counted from 1, of a position in a text. */
export function lineAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
