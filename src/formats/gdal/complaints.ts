const beginning = /^(ERROR \d+|FAILURE|Warning \d+|More than \d+)\b:?\s*/
/** What follows another complaint and says nothing itself, and what concerns the names of coordinate systems alone. */
const empty = /^(Terminating translation|Unable to write feature|Failed to write layer|PROJ: )/

/** The errors that a program of GDAL has told, each with the lines that go on with it, those that say most first. */
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
