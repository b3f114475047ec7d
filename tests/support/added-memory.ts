const megabyte = 2 ** 20

/** Returns the peak of the memory that the work adds to this process, in megabytes, measured by sampling. */
export async function addedMegabytes(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 20)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return (Math.max(most, process.memoryUsage().rss) - before) / megabyte
}
