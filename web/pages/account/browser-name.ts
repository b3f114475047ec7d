/** Names of browsers in a `User-Agent`; browsers name others too, so the first match counts. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iPadOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** Returns a `User-Agent` in short, such as `Firefox 140, Windows`; other programs by their first word. */
export function browserName(agent: string | undefined): string | undefined {
  if (agent === undefined || agent === '') return undefined
  const [word, name] = browsers.find(([one]) => agent.includes(`${one}/`)) ?? []
  if (name === undefined) return agent.split(/[ (]/)[0]?.slice(0, 60)
  const marker = word === 'Safari' ? 'Version' : word
  const [, version = ''] = new RegExp(`${marker}/(\\d+)`).exec(agent) ?? []
  const system = systems.find(([one]) => agent.includes(one))?.[1]
  return [`${name} ${version}`.trim(), system].filter((one) => one !== undefined).join(', ')
}
