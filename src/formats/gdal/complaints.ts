const beginning = /^(ERROR \d+|FAILURE|Warning \d+|More than \d+)\b:?\s*/
/**
 * Lines that only follow another error without information of their own, and lines about names of coordinate
 * systems.
 */
const empty = /^(Terminating translation|Unable to write feature|Failed to write layer|PROJ: )/

/**
 * Returns the errors printed by a GDAL program, each with its continuation lines, the most informative first.
 */
export function gdalComplaints(stderr: string): string[] {
  const said: { isError: boolean; text: string }[] = []
  for (const line of stderr.split('\n')) {
    const start = beginning.exec(line)
    const last = said.at(-1)
    if (start !== null) {
      said.push({ isError: /^(ERROR|FAILURE)/.test(line), text: line.slice(start[0].length).trim() })
    } else if (last !== undefined) last.text = `${last.text} ${line.trim()}`.trim()
  }
  const errors = said.filter(({ isError, text }) => isError && text !== '').map(({ text }) => text)
  const telling = errors.filter((text) => !empty.test(text))
  return telling.length > 0 ? telling : errors
}
