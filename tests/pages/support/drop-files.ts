import type { Page } from 'playwright-core'

/** Drops files and folders of this machine on the page, as a user does. */
export async function dropFiles(page: Page, files: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const at = { x: 500, y: 300, data: { items: [], files, dragOperationsMask: 1 } }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at })
  await session.detach()
}

/** Sends no more than so many bytes a second from now on; 0 for as many as can be. */
export async function slowUploads(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const uploadThroughput = bytesPerSecond === 0 ? -1 : bytesPerSecond
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput,
  })
}
