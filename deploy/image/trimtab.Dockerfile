# The image that `npm run image` builds without Docker, for those who build with a Dockerfile. Run in the repository:
#   npm run image -- trimtab --rootfs
#   docker build -f deploy/image/trimtab.Dockerfile --platform linux/amd64 -t trimtab:0.1.0 .
FROM scratch
ARG TARGETARCH
COPY --chown=0:0 dist/images/rootfs/trimtab/${TARGETARCH}/ /
ENV NODE_USE_SYSTEM_CA=1
LABEL org.opencontainers.image.description="Controller, gateway and webhook of Trimtab, which releases Kubernetes configuration as versions"
LABEL org.opencontainers.image.title="trimtab"
USER 65532:65532
WORKDIR /
ENTRYPOINT ["/trimtab"]
