import { spawn } from 'node:child_process'

interface ToolResult {
  code: number | null
  output: string
  complained: string
}

/** Runs a program to its end and gives what it wrote. */
export async function runTool(
  root: string,
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ToolResult> {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env })
  const result: ToolResult = { code: null, output: '', complained: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    result.output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    result.complained += text
  })
  result.code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return result
}

/** Runs a program and returns its output if it failed, otherwise an empty text. */
export async function outputOf(
  root: string,
  program: string,
  args: string[],
  env?: NodeJS.ProcessEnv,
): Promise<string> {
  const { code, output, complained } = await runTool(root, program, args, env)
  return code === 0 ? '' : `${output}${complained}`.trim() || `${program} ended with code ${code}`
}
