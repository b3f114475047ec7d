/** In a child process: the end of a pipe whose other end the parent holds open as long as it lives. */
export const parentFd = 4
