/** File descriptor in a child process: the read end of a pipe that the parent keeps open while it runs. */
export const parentFd = 4
