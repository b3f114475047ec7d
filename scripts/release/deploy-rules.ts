interface Container {
  name: string
  securityContext?: {
    readOnlyRootFilesystem?: boolean
    allowPrivilegeEscalation?: boolean
    capabilities?: { drop?: string[] }
  }
  resources?: { limits?: { memory?: string } }
  volumeMounts?: { name: string }[]
  envFrom?: { configMapRef?: { name: string } }[]
}

interface Manifest {
  kind?: string
  metadata?: { name?: string }
  spec?: {
    selector?: Record<string, unknown>
    template?: {
      metadata?: { labels?: Record<string, string> }
      spec?: {
        securityContext?: { runAsNonRoot?: boolean }
        containers?: Container[]
        volumes?: { name: string }[]
      }
    }
  }
}

/** Returns what is wrong with Kubernetes manifests: missing limits and restrictions, and references to what does not exist. */
export function manifestProblems(documents: readonly object[]): string[] {
  const manifests = documents as readonly Manifest[]
  const pods = manifests.filter(({ kind }) => kind === 'Deployment')
  const labels = pods.map(({ spec }) => spec?.template?.metadata?.labels ?? {})
  const maps = manifests.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata?.name)
  return [
    ...manifests
      .filter(({ kind, metadata }) => !kind || !metadata?.name)
      .map(() => 'a manifest has no kind or name'),
    ...pods.flatMap((one) => podProblems(one, maps)),
    ...manifests.flatMap((one) => selectorProblems(one, labels)),
  ]
}

function podProblems({ spec }: Manifest, maps: readonly (string | undefined)[]): string[] {
  const pod = spec?.template?.spec
  const volumes = pod?.volumes?.map(({ name }) => name) ?? []
  const problems = pod?.securityContext?.runAsNonRoot === true ? [] : ['a pod may run as root']
  for (const { name, securityContext, resources, volumeMounts, envFrom } of pod?.containers ?? []) {
    if (securityContext?.readOnlyRootFilesystem !== true) problems.push(`${name}: the root is writable`)
    if (securityContext?.allowPrivilegeEscalation !== false) problems.push(`${name}: rights may be gained`)
    if (securityContext?.capabilities?.drop?.includes('ALL') !== true)
      problems.push(`${name}: has capabilities`)
    if (resources?.limits?.memory === undefined) problems.push(`${name}: has no memory limit`)
    for (const mount of volumeMounts ?? [])
      if (!volumes.includes(mount.name)) problems.push(`${name}: no volume ${mount.name}`)
    for (const { configMapRef } of envFrom ?? [])
      if (!maps.includes(configMapRef?.name)) problems.push(`${name}: no ConfigMap ${configMapRef?.name}`)
  }
  return problems
}

function selectorProblems({ kind, spec }: Manifest, labels: readonly Record<string, string>[]): string[] {
  const selector = spec?.selector
  if (selector === undefined) return []
  const expected = Object.entries((selector['matchLabels'] ?? selector) as Record<string, string>)
  const isFound = labels.some((one) => expected.every(([key, value]) => one[key] === value))
  return isFound ? [] : [`${kind}: the selector selects no pod`]
}
